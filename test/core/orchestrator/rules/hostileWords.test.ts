import { readdirSync, readFileSync } from "node:fs";
import net from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HostPair } from "../../../../core/orchestrator/hosts/hostPair.ts";
import { createMoveActions } from "../../../../core/orchestrator/move/moveActions.ts";
import { type MoveDeps, MoveRun } from "../../../../core/orchestrator/move/moveRun.ts";
import type { Journal, Saga, WhichHost } from "../../../../core/orchestrator/rules/journal.ts";
import {
  parseAddressWord,
  parseEndpointWord,
  parseFileName,
  parseJsonWords,
  type Variables,
} from "../../../../core/ssh/foreign.ts";
import { archiveOf, expectNothingOf, hostile, manifestOf, sentText } from "../../../hostile.ts";
import { scratchDirectory } from "../../../scratchDirectory.ts";
import { orchestratorRpc, type Server } from "../../chain/fakes.ts";
import { confirmed, exampleCopyKey, exampleInputs, exampleMove, pairDouble } from "../exampleMove.ts";

/** Places of another host's text; one at a time, because a refusal ends a step. */
const places = [
  ...["addresses", "dataPath", "url", "keyStore", "configKey", "copyKey", "copyAddress", "copyOutput"],
  ...["producer", "tssPeerId", "evmAddress", "unknownName", "stateName", "network", "version", "error"],
  ...["path", "owner", "asideStore", "storeName", "journalIdentity", "node", "bridge", "life", "connection"],
] as const;
type Place = (typeof places)[number];
const steps = ["bulk", "stop", "backup", "fence", "copy", "arrive", "start", "close", "seal", "restore"] as const;

let rpc: Server;
const directory = scratchDirectory();
/** Answers of each host. */
let answer: (place: Place, usual: string) => string = (_place, usual) => usual;
let asked = 0;
let runs = 0;

beforeAll(async () => {
  const results: Readonly<Record<string, () => unknown>> = {
    getStatus: () => ({
      state: 0,
      stateName: answer("stateName", "LiveState"),
      frontierMomentum: asked,
      networks: { [answer("network", "Zenon")]: { wrapsToSign: 0 } },
    }),
    getIdentity: () => ({
      producer: answer("producer", "z1q"),
      tssPeerId: answer("tssPeerId", "16Uiu2"),
      evmAddress: answer("evmAddress", "0xab"),
      [answer("unknownName", "pillarName")]: "Anvil",
    }),
    getBuildInfo: () => ({ version: answer("version", "v1.2.3"), gitCommit: "", goVersion: "go1.22.3" }),
  };
  const answered = (method: string) => {
    asked += 1;
    return results[method]?.();
  };
  rpc = await orchestratorRpc(answered, () => answer("error", ""));
});
afterAll(() => rpc.close());

/** Does every step with hosts that answer so. @returns all that went to either host, and how each step ended */
async function sentIn(direction: Saga["direction"], answers: typeof answer) {
  answer = answers;
  runs += 1;
  const sent: string[] = [];
  const saga: Saga = { move: exampleMove, direction, generation: 1 };
  const source: WhichHost = direction === "forward" ? "old" : "new";
  const keyStore = answer("asideStore", "producer.moved-to-x");
  const identity = { producer: answer("journalIdentity", "z1q") };
  const journal = { stage: "fenced", keyStore, identity, history: [] } as unknown as Journal;
  const look = { active: true, masked: false, journal };
  const file = (name: WhichHost) => (name === source ? answer("path", "tss/a").replaceAll("\0", "0") : "tss/a");
  const [copyKey = ""] = exampleCopyKey.split("\n");
  const config = () =>
    JSON.stringify({
      DataPath: answer("dataPath", "/x"),
      ProducerKeyFileName: answer("keyStore", "producer"),
      [answer("configKey", "Key")]: 1,
      Url: `ws://${answer("url", "198.51.100.7")}:1/`,
      GlobalState: 0,
    });
  const call: HostPair["call"] = async ({ side: to, name, variables }) => {
    sent.push(sentText(`${to} ${name}`, variables));
    const printed: Readonly<Record<string, () => string>> = {
      orchestrator_addresses: () => `198.51.100.7 ${answer("addresses", "2001:db8::7")}`,
      orchestrator_read: config,
      orchestrator_store: () => `${answer("storeName", "producer")}\n`,
      orchestrator_copy_key: () => `${answer("copyKey", copyKey)}\n${answer("copyAddress", "203.0.113.9")}\n`,
      orchestrator_life: () =>
        `ActiveState=active\nSubState=running\nNRestarts=0\nMainPID=7\nPeers=1\nconnection=${answer("connection", "0100007F:8C9E")}\nlog\n${answer("life", "up")}\n`,
    };
    return (printed[name] ?? (() => ""))();
  };
  const root = (to: WhichHost) => ({
    address: to === "old" ? "198.51.100.7" : "203.0.113.9",
    hostKey: "",
    close: () => undefined,
    forward: async () => net.connect(rpc.port, "127.0.0.1"),
    call: async (name: string, variables?: Variables) => {
      sent.push(sentText(`${to} ${name}`, variables));
      return config();
    },
    stream: async (name: string, variables?: Variables) => {
      sent.push(sentText(`${to} ${name}`, variables));
      const streams: Readonly<Record<string, () => Buffer>> = {
        orchestrator_manifest: () => manifestOf(file(to), answer("owner", "0:0")),
        orchestrator_archive: () => archiveOf(file(to)),
        orchestrator_copy: () => Buffer.from(`${answer("copyOutput", "1 MB")}\n`),
      };
      const stdout = Readable.from([(streams[name] ?? (() => Buffer.alloc(0)))()]);
      return { stdout, done: new Promise<void>((ended) => stdout.once("close", ended)) };
    },
  });
  const sides = pairDouble({
    roots: { old: root("old"), new: root("new") },
    call,
    step: async (each, before) => {
      sent.push(JSON.stringify(each.changes ?? {}));
      return call(each).then(() => before);
    },
  });
  const inputs = exampleInputs({
    answerWithin: 1000,
    steadyFor: 1000,
    noKeyShare: 1,
    // A failed step's backup continues, so each run has its own directory.
    backups: { directory: join(directory(), String(runs)), identityFile: undefined },
  });
  let time = 0;
  const tick = () => {
    time += 5000;
    return time;
  };
  const deps = {
    say: () => undefined,
    now: () => 0,
    ticks: tick,
    sleep: async () => undefined,
    isWatched: true,
    readNodeSync: async () => ({ synced: true, known: true, why: answer("node", "") }),
    readBridge: async () => ({ known: true, state: 0, key: "", why: answer("bridge", "live") }),
  } as MoveDeps;
  const hands = createMoveActions(new MoveRun(confirmed(inputs), sides, deps));
  const failed: string[] = [];
  for (const step of steps)
    await hands
      .perform(step, saga, { old: look, new: look })
      .catch((error: Error) => void failed.push(`${step}: ${error.message}`));
  return { sent: sent.join("\n"), failed };
}

describe.each(["forward", "back"] as const)("a move %s", (direction) => {
  test("does all its steps with well-behaved hosts", async () => {
    const { sent, failed } = await sentIn(direction, (_place, usual) => usual);
    expect(failed).toEqual([]);
    const [source, target] = direction === "forward" ? ["old", "new"] : ["new", "old"];
    const names = [
      ...[
        "old orchestrator_copy_allow",
        "new orchestrator_copy_key",
        "new orchestrator_copy",
        `${source} orchestrator_archive`,
      ],
      ...["stop", "fence", "restore", "manifest"].map((name) => `${source} orchestrator_${name}`),
      ...["staging", "arrive", "start", "seal", "settle", "life"].map((name) => `${target} orchestrator_${name}`),
    ];
    for (const name of names) expect(sent).toContain(name);
    expect(sent).toContain("producer.moved-to-x");
    // Only an orchestrator that runs before its move is asked who it is.
    if (direction === "forward") expect(sent).toContain('{"producer":"z1q","tssPeerId":"16Uiu2","evmAddress":"0xab"}');
  });

  test("sends no text of one host to another", async () => {
    const property = fc.asyncProperty(hostile, fc.constantFrom(...places), async (word, place) => {
      const { sent } = await sentIn(direction, (at, usual) => (at === place ? word : usual));
      expectNothingOf(word, sent);
    });
    const examples = places.map((place): [string, Place] => ["#e;$(id>/x)\n", place]);
    await fc.assert(property, { examples, numRuns: 50 });
  }, 60_000);
});

test.each<(word: string) => string>([
  parseAddressWord,
  parseFileName,
  parseEndpointWord,
  (word) => parseJsonWords({ producer: word }),
  (word) => parseJsonWords({ [word]: "z1q" }),
])("refuses hostile text in a host's answer (%#)", (gate) => {
  fc.assert(
    fc.property(hostile, (word) => {
      expect(() => gate(word)).toThrow("a host answered with something else");
    }),
  );
});

test.each([
  [parseAddressWord, ["203.0.113.9", "2001:db8::9"]],
  [parseFileName, ["producer", "producer.moved-to-203.0.113.9-20260101T000000Z", "a b"]],
  [parseEndpointWord, ["node.example:35998", "2001:db8::9:1"]],
] as const)("accepts valid text in a host's answer (%#)", (gate, words) => {
  for (const word of words) expect(gate(word)).toBe(word);
});

test("only the checked functions make a shell word of a text", () => {
  const files = ["core", "cli", "components", "providers"].flatMap((room) =>
    readdirSync(room, { recursive: true, encoding: "utf8" }).map((file) => join(room, file)),
  );
  const casts = files.filter(
    (file) => file.endsWith(".ts") && /\bas (Word|Variables)\b/.test(readFileSync(file, "utf8")),
  );
  expect(casts).toEqual(["core/ssh/foreign.ts"]);
});
