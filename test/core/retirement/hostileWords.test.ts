import { join } from "node:path";
import { Readable } from "node:stream";
import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { openEventLog } from "../../../core/eventLog/eventLog.ts";
import { readHost } from "../../../core/retirement/readHost.ts";
import type { RetirementInputs } from "../../../core/retirement/retirementInputs.ts";
import { shutDownHost } from "../../../core/retirement/shutDownHost.ts";
import type { SurveyDeps } from "../../../core/retirement/surveyRetirement.ts";
import type { Variables } from "../../../core/ssh/foreign.ts";
import type { RootHost } from "../../../core/ssh/root.ts";
import { isPrintable, say } from "../../../core/util/printable.ts";
import { archiveOf, expectNothingOf, hostile, manifestOf, sentText } from "../../hostile.ts";
import { journeyIn } from "../../recordIn.ts";
import { scratchDirectory } from "../../scratchDirectory.ts";
import { answerFacts } from "../host/printedFacts.ts";
import { exampleJournal } from "../orchestrator/exampleMove.ts";
import { places } from "./exampleFacts.ts";

/** Places of a text of the retired host. */
const spots = [
  ...["producer", "mark", "markName", "share", "journalStore", "journalIdentity", "journalOther"],
  ...["path", "owner", "told"],
] as const;
type Spot = (typeof spots)[number];

const directory = scratchDirectory();
let runs = 0;
afterEach(() => void vi.restoreAllMocks());

function journalOf(answer: (spot: Spot, usual: string) => string): string {
  const journal = {
    ...exampleJournal("old", "moved"),
    move: "pillar-host/prod/Anvil/1",
    other: { address: answer("journalOther", "192.0.2.2"), hostKey: "k" },
    keyStore: answer("journalStore", "producer.moved-to-x"),
    identity: { producer: answer("journalIdentity", "z1q") },
  };
  return Buffer.from(JSON.stringify(journal)).toString("base64");
}

/** Reads a host with these answers, and shuts it down. @returns the sent text, the printed text, and the failure */
async function retire(answer: (spot: Spot, usual: string) => string) {
  runs += 1;
  const backups = join(directory(), String(runs));
  const sent: string[] = [];
  const told = vi.spyOn(console, "log").mockImplementation(() => undefined);
  told.mockClear();
  const path = answer("path", "root/.o/config").replaceAll("\0", "0");
  const answers: Readonly<Record<string, () => string>> = {
    host_facts: () =>
      answerFacts([
        ...[`producer=${answer("producer", "z1q")}`, "keyStore=yes", "nodeActive=yes", "orchestratorDirectory=yes"],
        ...[`marked.${answer("markName", "stack")}=${answer("mark", "prod")}`, `journal=${journalOf(answer)}`],
        `share=${answer("share", "localstate-ab.json")}`,
      ]),
    retire_stop: () => `${answer("told", "it stops")}\n`,
  };
  const streams: Readonly<Record<string, () => Buffer>> = {
    orchestrator_manifest: () => manifestOf(path, answer("owner", "0:0")),
    orchestrator_archive: () => archiveOf(path),
  };
  const root = {
    address: "192.0.2.1",
    hostKey: "k",
    call: async (name: string, variables?: Variables) => {
      sent.push(sentText(name, variables));
      return (answers[name] ?? (() => ""))();
    },
    stream: async (name: string, variables?: Variables) => {
      sent.push(sentText(name, variables));
      const stdout = Readable.from([(streams[name] ?? (() => Buffer.alloc(0)))()]);
      return { stdout, done: new Promise<void>((ended) => stdout.once("close", ended)) };
    },
  } as unknown as RootHost;
  const inputs = {
    places,
    stack: "prod",
    pillar: "Anvil",
    host: { ssh: { address: "192.0.2.1" } },
    backup: { directory: backups },
  } as unknown as RetirementInputs;
  const deps = { now: () => 0, ticks: () => 0, sleep: async () => undefined, say } as unknown as SurveyDeps;
  const log = openEventLog({ directory: backups, stack: "prod", pillar: "Anvil" }, deps);
  let failure: string | undefined;
  try {
    const look = await readHost(root, places, 0, deps);
    if ("facts" in look) await shutDownHost(root, { inputs, facts: look.facts, log, isForced: false }, deps);
  } catch (error) {
    failure = (error as Error).message;
  }
  return { sent: sent.join("\n"), told: told.mock.calls.map(String), failure, backups };
}

test("shuts down a host with valid answers after its backup", async () => {
  const { sent, failure, backups } = await retire((_spot, usual) => usual);
  expect(failure).toBeUndefined();
  for (const name of ["orchestrator_archive", "retire_stop", "retire_remove_settings"]) expect(sent).toContain(name);
  expect(journeyIn(backups, "Anvil").map(({ event }) => event)).toEqual(["shuttingDown", "shutDown"]);
});

test("passes no hostile answer of a retired host to a script or the terminal", async () => {
  const property = fc.asyncProperty(hostile, fc.constantFrom(...spots), async (word, spot) => {
    const { sent, told } = await retire((at, usual) => (at === spot ? word : usual));
    expectNothingOf(word, sent);
    for (const line of told.flatMap((each) => each.split("\n"))) expect(isPrintable(line)).toBe(true);
  });
  const examples = spots.map((spot): [string, Spot] => ["\u001b]0;id\u0007\n#e;$(id>/x)", spot]);
  await fc.assert(property, { examples, numRuns: 60 });
}, 60_000);
