import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { formatRestore } from "../cli/restore/restoreOrchestrator.ts";
import { formatReport } from "../cli/status/statusText.ts";
import { decideNextStep } from "../core/journey/decideNextStep.ts";
import { formatHolder } from "../core/journey/runTexts.ts";
import { decideRetirement } from "../core/retirement/decideRetirement.ts";
import { formatRefusal } from "../core/retirement/refusalText.ts";
import { chapters } from "../lab/demo/chapters.ts";
import { partsOf, progress, viewOf } from "./cli/exampleView.ts";
import { facts, hostFacts, reading, successor } from "./core/retirement/exampleFacts.ts";
import { moveNamed } from "./moveNamed.ts";

// Renders the documents' examples of output with the functions that print them.

const root = join(import.meta.dirname, "..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const oldAddress = "z1qqc67ywtw26p3c97fkeens5jqddjmfnnp76nqd";
const newAddress = "z1qrztagarasj7msyewamqz7mg4p97chuygwxq3j";

/** Returns the output blocks of a document. */
const blocksOf = (file: string) => [...read(file).matchAll(/^```text\n([\s\S]*?)^```$/gm)].map(([, block]) => block);

/** Expects a block to have only lines of an output, in order; […] replaces omitted lines. */
function expectExcerpt(block: string | undefined, output: string): void {
  const lines = (block ?? "").trimEnd().split("\n");
  const given = output.split("\n");
  let at = 0;
  for (const line of lines) {
    if (line.trim() === "[…]") continue;
    const found = given.indexOf(line, at);
    expect(found, `not in the output, or not in this order: ${line}\n${output}`).toBeGreaterThanOrEqual(at);
    at = found + 1;
  }
}

const earlier = { kind: "earlier", notes: [], address: oldAddress, wasOurs: false } as const;

test("docs/operating.md shows the status of a synced host", () => {
  const port = (port: number, wanted: "open" | "closed", seen: "open" | "refused") =>
    ({ port, what: "the node's RPC", wanted, listens: true, seen }) as const;
  const view = viewOf({
    stack: "prod-2",
    locks: [],
    synced: true,
    sync: progress({
      observation: { kind: "answer", info: { state: 2, currentHeight: 2710, targetHeight: 2710 }, nodeTime: 0 },
      good: true,
      why: { kind: "fresh", text: "synced, newest momentum 1 s old" },
      streak: 1,
      confirmations: 1,
      startedAt: 0,
      percent: "100.0",
      rate: undefined,
      left: undefined,
    } as never),
    parts: partsOf(earlier, {
      ports: { value: [port(35995, "open", "open"), port(35997, "closed", "open"), port(55000, "closed", "refused")] },
      rewards: { value: "3.4 ZNN and 0 QSR are not collected; paid last: epoch 812" },
      sporks: { value: { version: "v0.0.10", unknown: [] } },
    }),
  });
  expectExcerpt(blocksOf("docs/operating.md")[0], formatReport(view, 120));
});

test("docs/retiring.md shows a refusal of a shutdown that comes too early", () => {
  const { pillar } = reading();
  const name = "this host's node (198.51.100.9)";
  const early = reading({ pillar: { ...pillar, producerAddress: oldAddress } as never }, name);
  const tooEarly = facts({
    stack: "prod-1",
    step: "retire",
    address: "198.51.100.9",
    host: { facts: hostFacts({ producer: oldAddress }) },
    successor: { ...successor, look: { facts: { ...successor.look.facts, producer: newAddress } } },
    readings: [early],
  });
  const output = `error: ${formatRefusal(tooEarly, decideRetirement(tooEarly))}`;
  expectExcerpt(blocksOf("docs/retiring.md")[0], output);
});

test("docs/restore.md shows what is restored", () => {
  const provedAt = new Date(Date.now() - 51 * 3_600_000).toISOString();
  const files = ["root/.orchestrator/tss/localstate-02….json"];
  const keyShare = { files, generatedAt: "2026-11-01T12:34:56.000Z" };
  const end = { holder: "new", generation: 1, version: "v0.0.9a", movedAt: "" } as const;
  const move = moveNamed("pillar-host/prod-2/Anvil/1");
  const moves = [{ at: "2026-11-02T08:00:00.000Z", move, event: "done", details: end }] as const;
  const lines = formatRestore(
    "pillar-host-prod-2-Anvil-asked-2026-11-21T18-00-00-123Z.tar.age",
    { host: "198.51.100.9", provedAt, keyShare },
    { address: "203.0.113.7", lost: "198.51.100.9; server 52 at hetzner", isFresh: true, moves },
  );
  expectExcerpt(blocksOf("docs/restore.md")[0], lines.join("\n"));
});

test("docs/unattended.md shows the holder of a lock", () => {
  const lock = { user: "ada", host: "laptop", pid: 4242, since: Date.parse("2026-11-21T14:49:00Z") };
  const said = `prod-2 is locked by a run that is still running: ${formatHolder(lock)}`;
  expectExcerpt(blocksOf("docs/unattended.md")[0], said);
});

test("docs/steps.md shows the first line of the next step", () => {
  const node = { synced: true, known: true, why: "synced" };
  const parts = { registration: { value: earlier } };
  const run = { producerAddress: newAddress };
  const { lines } = decideNextStep({ stack: "prod-2", pillar: "Anvil", lifecycle: "active", node, parts, run });
  const [first = ""] = lines;
  expect(read("docs/steps.md")).toContain(`\`${first}\``);
});

const sources = ["cli", "components", "core", "providers"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(ts|cjs|sh)$/.test(name))
    .map((name) => read(join(folder, name))),
);
const program = sources.join("\n");

test.each([
  "the bridge will be without this orchestrator for ",
  "Nothing stands in the way, and nothing was changed.",
  " has produced here since momentum ",
])("docs/steps.md and the program both say: %s", (message) => {
  expect(read("docs/steps.md")).toContain(message);
  expect(program).toContain(message);
});

test("the questions in README.md's first example are those of init", () => {
  const screen = blocksOf("README.md").find((block) => block?.includes("✔")) ?? "";
  const questions = [...screen.matchAll(/^✔ ([^?:(;]+)/gm)].map(([, question = ""]) => question.trim());
  expect(questions.length).toBeGreaterThan(8);
  expect(questions.filter((question) => !program.includes(question))).toEqual([]);
});

test("the steps of README.md's demo are those that the demo plays", () => {
  const printed = blocksOf("README.md").find((block) => block?.includes(" in all")) ?? "";
  const titles = [...printed.matchAll(/^ +(?:\d+ min )?\d+ s {2}(.+)$/gm)].map(([, title = ""]) => title);
  expect(titles).toEqual([...chapters.map(({ title }) => title), "in all"]);
});

/** Messages of ssh, of Pulumi, of its plugins and of a shell. */
const foreign =
  /passphrase|no stack named|command not found|currently locked|Too many auth|Please login|ENOTFOUND|ECONNREFUSED|SDK has not|checkpoint: EOF|deadline exceeded|server not found|did not exist/;

test.each(["docs/troubleshooting.md", "docs/clouds.md"])("the messages that %s explains are the program's", (file) => {
  const text = read(file);
  const [section = ""] = /^## Failed orders$[\s\S]*?(?=^#)/m.exec(text) ?? [text];
  const cells = [...section.matchAll(/^(?:- |\| )((?:`[^`]+`(?:, |; )?)+)/gm)];
  const quoted = cells.flatMap(([, messages = ""]) =>
    [...messages.matchAll(/`([^`]+)`/g)].map(([, message = ""]) => message),
  );
  expect(quoted.length).toBeGreaterThan(5);
  const pieces = quoted
    .filter((message) => !foreign.test(message))
    .flatMap((message) => message.split(/…|v0\.0\.10|from height|22\.13 or newer|25 s/))
    .map((piece) => piece.trim())
    .filter((piece) => piece.length > 8);
  expect(pieces.filter((piece) => !program.includes(piece))).toEqual([]);
});
