import { expect, test } from "vitest";
import { formatMove } from "../../../../core/eventLog/moveId.ts";
import { parseHostState } from "../../../../core/orchestrator/hosts/hostPair.ts";
import { parseJournal } from "../../../../core/orchestrator/rules/journal.ts";
import { exampleJournal } from "../exampleMove.ts";

const journal = exampleJournal("old", "fenced", {
  generation: 3,
  at: "2026-01-01T00:00:00Z",
  was: { enabled: true, keyStore: "/root/.orchestrator/producer.moved-to-203.0.113.9-20260101T000000Z" },
});
/** Text of a journal on a host. */
const written = { ...journal, move: formatMove(journal.move) };
const text = JSON.stringify(written);

test("reads what the hosts write, and nothing from an empty text", () => {
  expect(parseJournal(text, "host")).toEqual(journal);
  expect(parseJournal("", "host")).toBeUndefined();
});

test.each<readonly [string, object | string | null]>([
  ["half of one", text.slice(0, 50)],
  ["another form", []],
  ["null", null],
  ["a stage of the other host", { ...written, stage: "running" }],
  ...[1e300, 2 ** 53, 1e9, 0, -1, 1.5, "3", undefined].map(
    (generation) => [`generation ${generation}`, { ...written, generation }] as const,
  ),
  ...["x", [null], [{ stage: 1 }]].map((history) => [`the history ${history}`, { ...written, history }] as const),
  ["a key store that is no text", { ...written, was: { keyStore: 1 } }],
  ["a key store that is no absolute path", { ...written, was: { keyStore: "-o" } }],
  ["an identity that is no text", { ...written, identity: { producer: [] } }],
  ["a host key of two lines", { ...written, other: { ...written.other, hostKey: "a\nb" } }],
  ["one without the hosts' keys", { ...written, source: undefined }],
  ["a later version", { ...written, version: 2 }],
])("refuses %s", (_what, value) => {
  const damaged = typeof value === "string" ? value : JSON.stringify(value);
  expect(() => parseJournal(damaged, "h")).toThrow(/h: the journal .* cannot be read\n {2}found: /);
});

test("parses the state at the end of a step's output, and the lines before it", () => {
  const printed = (journal: string) =>
    `config.json: said before\njournal ${Buffer.from(journal).toString("base64")}\nactive no\nmasked yes\nend\n`;
  const { seen, said } = parseHostState(printed(text), "host");
  expect(seen).toEqual({ journal, active: false, masked: true });
  expect(said).toEqual(["config.json: said before"]);
  expect(parseHostState(printed(""), "host").seen.journal).toBeUndefined();
  expect(() => parseHostState("journal \nactive no\n", "host")).toThrow("host: its answer was cut off");
});
