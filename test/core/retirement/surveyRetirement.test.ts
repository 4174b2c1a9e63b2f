import { appendFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ChainClient } from "../../../core/chain/chain.ts";
import { openChainView } from "../../../core/chain/chainView.ts";
import type { StackConfig } from "../../../core/config/config.ts";
import type { LogEvent, MoveEvent } from "../../../core/eventLog/events.ts";
import { findLastHash } from "../../../core/eventLog/logIntegrity.ts";
import { formatLine } from "../../../core/eventLog/logLine.ts";
import { askAboutPillar } from "../../../core/registration/agreeOnRegistration.ts";
import { readChain } from "../../../core/retirement/readChain.ts";
import type { RetirementFacts } from "../../../core/retirement/retirementFacts.ts";
import type { RetirementInputs } from "../../../core/retirement/retirementInputs.ts";
import { listRetirementReferences } from "../../../core/retirement/retirementInputs.ts";
import { findRegistrationDoubts, surveyRetirement } from "../../../core/retirement/surveyRetirement.ts";
import { computeFingerprint } from "../../../core/ssh/publicKey.ts";
import { createDirectoryStore } from "../../../core/store/directoryStore.ts";
import { systemClock } from "../../../core/util/clock.ts";
import { moveNamed } from "../../moveNamed.ts";
import { putEvent, recordFile } from "../../recordIn.ts";
import { scratchDirectory } from "../../scratchDirectory.ts";
import { fakeNode, idCall, synced, use } from "../chain/fakes.ts";
import { runs, smallChain } from "./smallChain.ts";

const directory = scratchDirectory();

const ssh = { address: "192.0.2.1", hostKey: "ssh-ed25519 T0xE" };
const at = "2026-11-21T18:00:00Z";
const details = { ...ssh, evidence: [], hasSigner: false };
const shutDown: LogEvent = { at, stack: "prod", pillar: "Anvil", event: "shutDown", details };
const move = moveNamed("pillar-host/prod-2/Anvil/1");
const way = { direction: "forward", generation: 2, source: "SHA256:a" } as const;
const begun = (target: string): MoveEvent => ({ at, move, event: "begun", details: { ...way, target } });

/** Returns when the silent host had no orchestrator, as the guard reads it from an event log. */
async function noSignerAt(lines: readonly (LogEvent | MoveEvent)[], logHead?: string): Promise<string | undefined> {
  for (const line of lines) putEvent(directory(), line);
  return (await survey({ silent: "no answer" }, undefined, logHead)).noOrchestratorAt;
}

async function survey(host: RetirementFacts["host"], changes?: RetirementInputs, logHead?: string) {
  const inputs = {
    stack: "prod",
    pillar: "Anvil",
    lifecycle: "retiring",
    references: [],
    host: { ssh },
    node: { ssh },
    isOwnServer: false,
    network: { momentum: 10_000, tickMomentums: 30 },
    epoch: 1,
    tolerance: 20,
    backup: { directory: directory() },
    places: { orchestrator: { directory: "/root/.orchestrator" } },
    ...changes,
  } as unknown as RetirementInputs;
  const memory = { createdAt: "2026-01-01T00:00:00Z", isReached: true, isOwnWork: false, logHead };
  const deps = { ...systemClock, say: () => undefined };
  const store = createDirectoryStore(directory());
  return (await surveyRetirement({ step: "destroy", inputs, memory, host, store }, deps)).facts;
}

it("learns from the shutdown event that no orchestrator was on a silent host, unless it moved there later", async () => {
  expect(await noSignerAt([shutDown, begun("SHA256:b")])).toBe(at);
  expect(await noSignerAt([begun(computeFingerprint(ssh.hostKey))])).toBeUndefined();
});

it("ignores a shutdown event in a log that lacks a line", async () => {
  appendFileSync(recordFile(directory()), `${formatLine(shutDown, "hash of a missing line")}\n`);
  expect(await noSignerAt([])).toBeUndefined();
});

it("ignores a shutdown event in another machine's log than the one in which the guard wrote last", async () => {
  const linesOf = async () => await createDirectoryStore(directory()).readLines();
  expect(await noSignerAt([shutDown])).toBe(at);
  expect(await noSignerAt([], findLastHash(await linesOf()))).toBe(at);
  expect(await noSignerAt([], findLastHash([formatLine(shutDown)]))).toBeUndefined();
});

describe("whether the registered address may be of a server that this stack ordered and never logged in to", () => {
  const producers = runs(["old", 60], ["next", 40]);
  const orderedAt = (second: number) => new Date(second * 1000).toISOString();
  const read = async (client: ChainClient) =>
    readChain(client, { pillar: "Anvil", network: { momentum: 1000, tickMomentums: 12 }, epoch: 1 }, 99_000);
  const successor = { look: { facts: { producer: "next" } } } as unknown as RetirementFacts["successor"];
  const ask = async (clients: readonly ChainClient[], at?: number, next?: typeof successor) => {
    const readings = await Promise.all(clients.map(read));
    return findRegistrationDoubts({ readings, successor: next }, at === undefined ? undefined : orderedAt(at));
  };
  const mute = smallChain(producers, { newest: () => Promise.reject(new Error("ECONNREFUSED")) });
  const gone = smallChain(producers, { pillar: async () => null });
  const blind = smallChain(producers, { before: () => Promise.reject(new Error("ECONNRESET")) });

  const unsure = /^next is registered, and reference A shows no momentum of it from before the server's order$/;
  it.each<[string, RegExp | undefined, readonly ChainClient[], number?, typeof successor?]>([
    ["it produced before the order", undefined, [smallChain(producers)], 80],
    ["it produced only after the order", unsure, [smallChain(producers)], 50],
    ["the time of the order is not known", unsure, [smallChain(producers)]],
    ["it is the successor's", undefined, [smallChain(producers)], 50, successor],
    ["there is no such Pillar", undefined, [gone], 50],
    ["nobody is asked", /^no node was asked$/, [], 50],
    ["nobody answers", /^reference A is left out: ECONNREFUSED$/, [mute], 50],
    ["one of two answers", undefined, [mute, smallChain(producers)], 80],
    ["nobody shows the time before the order", unsure, [blind], 80],
  ])("%s: %s", async (_what, doubt, clients, at, next) => {
    expect(await ask(clients, at, next)).toEqual(doubt === undefined ? [] : [expect.stringMatching(doubt)]);
  });
});

it("takes the chain for known only if a reference is another node than this host's", async () => {
  const timestamp = Math.floor(Date.now() / 1000);
  const momentum = { height: 1, timestamp, hash: "ab", producer: "z1q" };
  const start = async (id: string, address: string) => {
    const results = {
      [idCall]: { numPeers: 8, peers: [], self: { publicKey: id.repeat(128) } },
      "ledger.getFrontierMomentum": momentum,
      "ledger.getMomentumsByHeight": { list: [momentum] },
      "embedded.pillar.getByName": null,
    };
    return (await use(fakeNode(results, address))).port;
  };
  const node = { ssh, via: "direct", address: "127.0.0.1", port: await start("a", "127.0.0.1") };
  const isKnown = async (id: string) => {
    const references = [`http://127.0.0.2:${await start(id, "127.0.0.2")}`];
    const host = {
      facts: { node: { active: true }, orchestrator: {}, marks: {} },
    } as unknown as RetirementFacts["host"];
    return (await survey(host, { node, references } as unknown as RetirementInputs)).isChainKnown;
  };
  expect([await isKnown("a"), await isKnown("b")]).toEqual([false, true]);
});

it("a reference below the version that its height requires counts neither for a retirement nor for the registration", async () => {
  const start = async (address: string, version: string) => {
    const results = { ...synced(), "embedded.pillar.getByName": null, "stats.processInfo": { version, commit: "" } };
    return `http://${address}:${(await use(fakeNode(results, address))).port}`;
  };
  const references = [await start("127.0.0.2", "v0.0.8"), await start("127.0.0.3", "v0.0.10")];
  const why = "the window";
  const versions = {
    ...{ mainNetwork: "ab", releases: "https://r.example", source: "https://s.example/node" },
    rows: [{ fromHeight: 100, leastVersion: "v0.0.10", why, release: "https://r.example" }],
  };
  const inputs = {
    ...{ stack: "prod", pillar: "Anvil", lifecycle: "retiring", references, isOwnServer: true, epoch: 1 },
    ...{ host: { ssh }, node: { ssh, versions }, network: { momentum: 10_000, tickMomentums: 30 } },
    ...{ backup: { directory: directory() }, places: { orchestrator: { directory: "/root/.orchestrator" } } },
  } as unknown as RetirementInputs;
  const memory = { createdAt: at, isReached: false, isOwnWork: true };
  const question = { step: "retire" as const, inputs, memory, host: { silent: "ETIMEDOUT" } };
  const deps = { ...systemClock, say: () => undefined };
  const { facts } = await surveyRetirement({ ...question, store: createDirectoryStore(directory()) }, deps);
  const registration = await askAboutPillar(openChainView({ ssh, versions }, { references }), "Anvil");
  const old = "it is v0.0.8; v0.0.10 or newer is required from height 100 on (the window)";
  expect(facts.readings.map((each) => ("fault" in each ? each.fault.why : "counts"))).toEqual([old, "counts"]);
  const notes = [`reference ${references[0]} is left out: ${old}`];
  expect(registration).toMatchObject({
    kind: "settled",
    by: [{ client: { name: `reference ${references[1]}` } }],
    notes,
  });
});

it("asks the retirement's references first, then those of the sync, each once", () => {
  const settings = {
    retirement: { references: ["http://a", "http://b"] },
    sync: { references: ["http://b", "http://c"] },
  };
  expect(listRetirementReferences(settings as StackConfig)).toEqual(["http://a", "http://b", "http://c"]);
});
