import { describe, expect, test } from "vitest";
import { formatMove } from "../../../core/eventLog/moveId.ts";
import { readHost } from "../../../core/retirement/readHost.ts";
import type { RootHost } from "../../../core/ssh/root.ts";
import { ProblemError, type ProblemKind } from "../../../core/util/problem.ts";
import { answerFacts, retirementFactsOf } from "../host/printedFacts.ts";
import { exampleJournal } from "../orchestrator/exampleMove.ts";
import { places } from "./exampleFacts.ts";

const lines = [
  ...[
    "producer=z1qown",
    "keyStore=yes",
    "nodeActive=yes",
    "nodeMasked=no",
    "orchestratorActive=no",
    "orchestratorMasked=yes",
  ],
  ...[
    "orchestratorDirectory=yes",
    "orchestratorKeyStore=no",
    "orchestratorConfig=yes",
    "orchestratorKeyAside=yes",
    "orchestrator.NRestarts=7",
  ],
  ...["marked.stack=pillar-host/prod Anvil", "marked.deploy.done=2026-01-01T00:00:00Z"],
];
const whole = (more: readonly string[] = []) => [...lines, ...more];

const encode = (journal: object) => Buffer.from(JSON.stringify(journal)).toString("base64");
function clock() {
  let at = 0;
  const said: string[] = [];
  const sleep = async (milliseconds: number) => {
    at += milliseconds;
  };
  return { said, deps: { now: () => at, ticks: () => at, say: (line: string) => void said.push(line), sleep } };
}
/** Returns a host with these answers, texts or facts; the last one stays. */
const root = (answers: (string | readonly string[] | Error)[]) =>
  ({
    address: "192.0.2.1",
    call: async () => {
      const [answer = ""] = answers.length > 1 ? answers.splice(0, 1) : answers;
      if (answer instanceof Error) throw answer;
      return typeof answer === "string" ? answer : answerFacts(answer);
    },
  }) as unknown as RootHost;

describe("a host's facts", () => {
  test("are parsed completely, with no producer instead of an empty one", () => {
    expect(retirementFactsOf(whole(["producer="])).producer).toBeUndefined();
    expect(retirementFactsOf(whole())).toEqual({
      producer: "z1qown",
      hasKeyStore: true,
      node: { active: true, masked: false },
      orchestrator: {
        active: false,
        masked: true,
        leased: false,
        hasDirectory: true,
        hasKeyStore: false,
        lacks: ["key share"],
        shares: [],
        sharesBeside: [],
        unit: { load: "", active: "", sub: "", since: "", restarts: 7, result: "" },
        connections: [],
      },
      addresses: [],
      marks: { stack: "pillar-host/prod Anvil", "deploy.done": "2026-01-01T00:00:00Z" },
    });
  });

  test("include addresses, and the connections of the orchestrator, but no other text", () => {
    const more = ["addresses=203.0.113.5 2001:db8::5 $(reboot) ", "connection=057100CB:8C9E", "connection=$(reboot)"];
    const { addresses, orchestrator } = retirementFactsOf(whole(more));
    expect(addresses).toEqual(["203.0.113.5", "2001:db8::5"]);
    expect(orchestrator.connections).toEqual([{ host: "203.0.113.5", port: 35998 }]);
  });

  test("include the journal of an orchestrator's move", () => {
    const journal = exampleJournal("old", "moved");
    const written = encode({ ...journal, move: formatMove(journal.move) });
    expect(retirementFactsOf(whole([`journal=${written}`])).orchestrator.journal).toEqual(journal);
  });

  const read = "read=facts_retirement";
  test.each<[string, readonly string[], string]>([
    ["an answer that was cut off", [], "192.0.2.1: its answer was cut off"],
    ["an answer whose end was cut off", [read.slice(0, -1)], "its answer was cut off"],
    ["an unreadable journal", [`journal=${encode({ version: 9 })}`, read], "orchestrator's move cannot be read"],
  ])("refuse %s", async (_what, more, words) => {
    const answer = [...lines, ...more, ""].join("\n");
    await expect(readHost(root([answer]), places, 30_000, clock().deps)).rejects.toThrow(words);
  });
});

describe("reading a host", () => {
  const gone = new Error("ECONNREFUSED\nmore");

  test("waits for a host that boots, reports it once, and stops at the timeout", async () => {
    const { deps: here, said } = clock();
    expect(await readHost(root([gone, gone, whole()]), places, 30_000, here)).toHaveProperty("facts");
    expect(said).toEqual(["192.0.2.1 does not answer (ECONNREFUSED); waiting for it"]);
    const { deps: later } = clock();
    expect(await readHost(root([gone]), places, 30_000, later)).toEqual({ silent: "ECONNREFUSED" });
    expect(later.ticks()).toBe(30_000);
  });

  test.each<[string, ProblemKind | undefined]>([
    ["does not answer", undefined],
    ["shows another key", "otherHostKey"],
    ["refuses the login", "refusedLogin"],
  ])("calls no host silent behind a proxy that %s", async (_what, kind) => {
    const ofProxy = Object.assign(new ProblemError({ kind, what: "10.0.0.9:22: no" }), { isFromProxy: true });
    await expect(readHost(root([ofProxy]), places, 30_000, clock().deps)).rejects.toThrow(
      "it is not known whether 192.0.2.1 answers, because the proxy before it does not work: nothing was changed\n  found: 10.0.0.9:22: no",
    );
  });

  test("does not wait after a refused login, and throws if a host answers with a failure", async () => {
    const { deps: here } = clock();
    const refused = new ProblemError({ kind: "refusedLogin", what: "no login" });
    expect(await readHost(root([refused]), places, 30_000, here)).toEqual({ silent: "no login", isRefused: true });
    expect(here.ticks()).toBe(0);
    const failed = Object.assign(new Error("no root"), { exitCode: 1 });
    await expect(readHost(root([failed]), places, 30_000, clock().deps)).rejects.toThrow("no root");
  });
});
