import { describe, expect, test } from "vitest";
import { parseHostState } from "../../../../core/orchestrator/hosts/hostPair.ts";
import { findCutOff, formatJournal, type Journal, parseJournal } from "../../../../core/orchestrator/rules/journal.ts";
import { lookUpStage, type Stage } from "../../../../core/orchestrator/rules/journalStages.ts";
import { enterStage, mayLieInPlace, type SagaAtHost } from "../../../../core/orchestrator/rules/nextJournal.ts";
import { moveNamed } from "../../../moveNamed.ts";
import { exampleJournal, exampleMove, exampleStages, type WrittenJournal } from "../exampleMove.ts";

const journal = exampleJournal("old", "fenced", {
  generation: 3,
  at: "2026-01-01T00:00:00Z",
  keyStore: "producer.moved-to-203.0.113.9-20260101T000000Z",
});
/** Text of a journal on a host. */
const text = formatJournal(journal);
const written = JSON.parse(text) as WrittenJournal;

test("reads what it writes, and nothing from an empty text", () => {
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
  ["a key store that is no text", { ...written, keyStore: 1 }],
  ["a key store in another directory", { ...written, keyStore: "../producer" }],
  ["an identity that is no text", { ...written, identity: { producer: [] } }],
  ["a host key of two lines", { ...written, other: { ...written.other, hostKey: "a\nb" } }],
  ["one without the hosts' keys", { ...written, source: undefined }],
  ["an earlier version", { ...written, version: 1 }],
  ["a later version", { ...written, version: 3 }],
])("refuses %s", (_what, value) => {
  const damaged = typeof value === "string" ? value : JSON.stringify(value);
  expect(() => parseJournal(damaged, "h")).toThrow(/h: the journal .* cannot be read\n {2}found: /);
});

const second = (n: number) => `2026-11-30T07:29:${n}Z`;
/** Returns a host where these stages of a move came one after the other, a second each, from 07:29:20 on. */
const reached = (side: Journal["side"], from: number, ...stages: Stage[]) => ({
  active: false,
  leased: false,
  journal: exampleJournal(side, stages.at(-1) ?? "moved", {
    history: stages.map((stage, n) => ({ stage, at: second(from + n), move: exampleMove })),
  }),
});
const bare = { active: false, leased: false, journal: undefined };

test.each<[Stage, boolean, boolean]>([
  // The target of a source that has fenced itself may sign.
  ...(["stopping", "restoring", "staged", "switched"] as const).map((stage) => [stage, true, true] as const),
  ["fenced", false, true],
  ...(["moved", "restored", "staging", "starting", "running", "abandoned"] as const).map(
    (stage) => [stage, false, false] as const,
  ),
] as [Stage, boolean, boolean][])(
  "by its journal alone, and with the other host, no host signs at %s: %s, %s",
  (...row) => {
    const [stage, alone, withOther] = row;
    const host = reached("old", 20, stage);
    expect(findCutOff([host]) !== undefined).toBe(alone);
    expect(findCutOff([host, bare]) !== undefined).toBe(withOther);
    expect(findCutOff([{ ...host, active: true }, bare])).toBeUndefined();
    expect(findCutOff([{ ...host, leased: true }, bare])).toBeUndefined();
    expect(findCutOff([host, { ...bare, active: true }])).toBeUndefined();
  },
);

test("knows the time of the stop from either journal, and not that of an earlier attempt", () => {
  const source = reached("old", 10, "stopping", "restoring", "restored", "stopping", "fenced");
  const target = reached("new", 18, "staging", "staged");
  const found = { stack: "prod", since: Date.parse(second(13)) };
  expect(findCutOff([target, source])).toMatchObject({ ...found, stage: "staged" });
  expect(findCutOff([reached("new", 11, "staging"), source])).toMatchObject({ ...found, stage: "fenced" });
  expect(findCutOff([target])).toMatchObject({ since: Date.parse(second(19)) });
});

test("finds no cut-off move beside an orchestrator that was started", () => {
  expect(findCutOff([reached("new", 20, "running"), reached("old", 20, "stopping", "fenced")])).toBeUndefined();
});

test("parses the state at the end of a step's output, and the lines before it", () => {
  const printed = (journal: string) =>
    `config.json: said before\njournal ${Buffer.from(journal).toString("base64")}\nactive no\nmasked yes\nend\n`;
  const { seen, said } = parseHostState(printed(text), "host");
  expect(seen).toEqual({ journal, text, active: false, masked: true });
  expect(said).toEqual(["config.json: said before"]);
  expect(parseHostState(printed(""), "host").seen.journal).toBeUndefined();
  expect(() => parseHostState("journal \nactive no\n", "host")).toThrow("host: its answer was cut off");
});

describe("the stages", () => {
  test.each([
    ["isOpen", true, ["stopping", "fenced", "restoring", "staged", "switched", "starting"]],
    ["key", "rests", ["restored", "running"]],
    ["key", "starts", ["starting"]],
    ["mayRun", true, ["stopping", "restoring", "restored", "starting", "running"]],
    ["copy", "whole", ["staged", "switched", "starting", "running"]],
    ["copy", "part", ["staging", "abandoned"]],
  ] as const)("%s %s: %j", (column, value, names) => {
    expect(exampleStages.filter((stage) => lookUpStage(stage)[column] === value)).toEqual(names);
  });

  test("mean nothing if they are unknown", () => {
    for (const name of ["", "toString", "x", undefined]) expect(lookUpStage(name)).toEqual({});
  });

  test.each(exampleStages)("are told to scripts that know none: %s", (stage) => {
    const text = formatJournal({ ...journal, stage, side: lookUpStage(stage).role === "source" ? "old" : "new" });
    const { isOpen, mayRun } = lookUpStage(stage);
    const expected = [`  "open": "${isOpen ? stage : ""}",`, `  "mayRun": "${mayRun ? stage : ""}",`];
    expect(text.split("\n").filter((line) => /^ {2}"(open|mayRun)"/.test(line))).toEqual(expected);
    expect(parseJournal(text, "h")?.stage).toBe(stage);
  });
});

describe("the next journal", () => {
  const { version, move, direction, generation } = journal;
  const other = { address: "203.0.113.9", hostKey: "k" };
  const source: SagaAtHost = { version, move, direction, generation, source: "A", target: "B", other, side: "old" };
  const target: SagaAtHost = { ...source, side: "new" };
  const at = "2026-01-02T00:00:00.000Z";

  test("has its stage, its time and the history; of this move the identity, too", () => {
    const before = { ...journal, stage: "stopping", identity: { producer: "z1q" } } as const;
    const history = [{ stage: "fenced", at, move, direction }];
    expect(enterStage(before, "fenced", source, { at })).toEqual({ ...before, stage: "fenced", at, other, history });
    const next = { ...source, move: moveNamed("pillar-host/next/Anvil/1") };
    const stopping = enterStage(before, "stopping", next, { at, keyStore: "k" });
    expect(stopping).toMatchObject({ move: next.move, identity: null, keyStore: "k" });
    const staging = enterStage(undefined, "staging", { ...target, isRestore: true }, { at });
    expect(staging).toMatchObject({ isRestore: true, identity: null, history: [{ stage: "staging" }] });
  });

  test("is the same one in the same stage of the same saga alone", () => {
    expect(enterStage(journal, "fenced", source, { at })).toBe(journal);
    for (const other of [
      { generation: 4 },
      { direction: "back" },
      { move: moveNamed("pillar-host/prod/Anvil/2") },
    ] as const)
      expect(() => enterStage(journal, "fenced", { ...source, ...other }, { at })).toThrow(
        "this step of the move is not due",
      );
    const stopping = { ...journal, stage: "stopping" } as const;
    expect(enterStage(stopping, "stopping", { ...source, generation: 4 }, { at }).generation).toBe(4);
  });

  test("forgets the fenced key store once another directory is in place", () => {
    const staged = exampleJournal("new", "staged", { generation, keyStore: "producer.moved-to-x" });
    expect(enterStage(staged, "switched", target, { at }).keyStore).toBeUndefined();
    expect(enterStage(staged, "abandoned", target, { at }).keyStore).toBe("producer.moved-to-x");
  });

  const listNext = (before: Journal, saga: SagaAtHost) =>
    exampleStages.filter((stage) => {
      if (lookUpStage(stage).role !== lookUpStage(before.stage).role) return false;
      try {
        return enterStage(before, stage, saga, { at }).stage === stage;
      } catch {
        return false;
      }
    });

  // Each stage with those that may come next to it on its host.
  test.each<[Stage, ...Stage[]]>([
    ["stopping", "stopping", "fenced", "moved", "restoring"],
    ["fenced", "stopping", "fenced", "moved", "restoring"],
    ["moved", "stopping", "moved"],
    ["restoring", "stopping", "moved", "restoring", "restored"],
    ["restored", "stopping", "moved", "restoring", "restored"],
    ["staging", "staging", "staged", "abandoned"],
    ["staged", "staging", "staged", "switched", "abandoned"],
    ["switched", "staging", "switched", "starting", "abandoned"],
    ["starting", "starting", "running"],
    ["running", "running"],
    ["abandoned", "staging", "abandoned"],
  ])("comes after %s", (stage, ...next) => {
    const isSource = lookUpStage(stage).role === "source";
    const saga = isSource ? source : target;
    const before = exampleJournal(saga.side, stage, { generation });
    expect(listNext(before, saga)).toEqual(next);
    // A later saga begins anew, but not beside an orchestrator that was started.
    const isStarted = stage === "starting" || stage === "running";
    const begins = isSource ? ["stopping", "moved"] : isStarted ? [] : ["staging", "abandoned"];
    expect(listNext(before, { ...saga, generation: 4 })).toEqual(begins);
  });

  test("says whether a whole copy that was abandoned may lie in place", () => {
    const enter = (before: Journal | undefined, stage: Stage) => enterStage(before, stage, target, { at });
    const ended = (...stages: Stage[]) => stages.reduce<Journal | undefined>(enter, undefined) as Journal;
    expect(mayLieInPlace(ended("staging", "staged", "abandoned"))).toBe(true);
    expect(mayLieInPlace(ended("staging", "staged", "switched", "abandoned"))).toBe(true);
    expect(mayLieInPlace(ended("staging", "abandoned"))).toBe(false);
    expect(mayLieInPlace(ended("staging", "staged"))).toBe(false);
    const later = { ...target, move: moveNamed("pillar-host/next/Anvil/1") };
    expect(mayLieInPlace(enterStage(ended("staging", "staged"), "abandoned", later, { at }))).toBe(false);
  });
});
