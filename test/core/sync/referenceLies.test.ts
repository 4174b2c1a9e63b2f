import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type ChainClient, openReferenceChain } from "../../../core/chain/chain.ts";
import { noHost, openChainView } from "../../../core/chain/chainView.ts";
import type { NodeTarget } from "../../../core/chain/node.ts";
import { readProduction } from "../../../core/chain/production.ts";
import { isAnswered, listLeftOut } from "../../../core/chain/reading.ts";
import { readSharedHeights } from "../../../core/chain/sameChain.ts";
import { askAboutPillar } from "../../../core/registration/agreeOnRegistration.ts";
import { decideRetirement } from "../../../core/retirement/decideRetirement.ts";
import { readChain } from "../../../core/retirement/readChain.ts";
import { readRewards } from "../../../core/retirement/readRewards.ts";
import { createConnection } from "../../../core/ssh/connection.ts";
import { decideLookup, noEvidence } from "../../../core/sync/decideSynced.ts";
import { openNodeReader } from "../../../core/sync/nodeReader.ts";
import { addressFrom } from "../../../lab/doubles/address.ts";
import { Chain, type NodeSettingsPatch, serveChain } from "../../../lab/doubles/chain/index.ts";
import { NodeDouble } from "../../../lab/doubles/node/node.ts";
import { facts, hostFacts, successor } from "../retirement/exampleFacts.ts";

// A reference lies, or shows no momentums. The node itself and the other references are right.

const [pillar, seconds] = ["Anvil", 1];
const own = addressFrom("own");
/** The lab's chain has this Pillar without a registration; it never misses a slot. */
const next = addressFrom(`first producer of ${pillar}`);
const network = { momentum: seconds * 1000, tickMomentums: 4, epoch: 86_400_000 };
const directory = mkdtempSync(join(tmpdir(), "reference-lies-"));
/** The chain's time before the test: its last minute has the test's pace. */
let past: number | undefined = Date.now() - 60_000;
const chain = new Chain({ height: 100, clock: () => past ?? Date.now() });
const names = ["node", "ref1", "ref2", "ref3"] as const;
const doubles: NodeDouble[] = [];
let served: Awaited<ReturnType<typeof serveChain>>;

beforeAll(async () => {
  const defaults = { behind: 0, rate: 1e6, startRefusedMs: 0, peerMs: 1 };
  chain.patchTruth({ momentumSeconds: seconds, tickMomentums: network.tickMomentums, defaults });
  past = undefined;
  served = await serveChain({ host: "127.0.0.1", port: 0, chain });
  for (const name of names)
    doubles.push(
      new NodeDouble({
        dataDir: join(directory, name),
        listen: "127.0.0.1",
        ports: { rpc: 0, ws: 0, p2p: 0 },
        chainUrl: served.url,
        name,
        pollMs: 20,
        print: () => undefined,
      }),
    );
  await Promise.all(doubles.map((double) => double.start()));
});
afterEach(() => setNode("ref1", { forceProducer: null, noMomentums: null }));
afterAll(async () => {
  await Promise.all(doubles.map((double) => double.stop()));
  await served.close();
  rmSync(directory, { recursive: true });
});

const urlOf = (name: (typeof names)[number]) => doubles[names.indexOf(name)]?.rpcUrl ?? "";
const nameOf = (name: (typeof names)[number]) => `reference ${urlOf(name)}`;
const liarAlone = () => [urlOf("ref1")];
const all = () => [urlOf("ref1"), urlOf("ref2"), urlOf("ref3")];

/** Changes a node's settings, and waits until it has them. */
async function setNode(name: (typeof names)[number], patch: NodeSettingsPatch) {
  chain.patchNode(name, patch);
  const client = openReferenceChain(urlOf(name));
  const { forceProducer, noMomentums } = chain.node(name).settings;
  const hasMomentums = async () => (await client.momentums(1, 1).catch(() => [])).length > 0;
  const shown = async () => [(await client.pillar(pillar))?.producerAddress, await hasMomentums()];
  await expect.poll(shown, { interval: 20 }).toEqual([forceProducer ?? next, noMomentums === null]);
}

const openView = (references: readonly string[]) => openChainView(noHost, { references });

describe("the gate", () => {
  /** Looks once at the node, which the references' newest momentum has not reached: they are asked for an older one. */
  async function look(references: readonly string[]) {
    const target: NodeTarget = {
      ssh: { address: "", port: 22, user: "op", hostKey: "" },
      via: "direct",
      address: "127.0.0.1",
      port: Number(new URL(urlOf("node")).port),
    };
    const reader = openNodeReader(target, { references }, createConnection(target.ssh));
    const options = { confirmations: 1, confirmSpan: 0, tolerance: 100 };
    chain.patchNode("node", { stall: true, forceTarget: 1 });
    const heightOf = async ({ newest }: Pick<ChainClient, "newest">) => (await newest()).momentum.height;
    const isBehind = async () => {
      const seen = await reader.client.observe();
      const isStalled = seen.kind === "answer" && seen.info.targetHeight === 1;
      const lowest = Math.min(...(await Promise.all(references.map((url) => heightOf(openReferenceChain(url))))));
      return isStalled && lowest > (await heightOf(reader.client));
    };
    await expect.poll(isBehind).toBe(true);
    const deps = { ...reader, readVersionGaps: async () => [] };
    try {
      return await decideLookup(await reader.client.observe(), noEvidence, options, deps);
    } finally {
      chain.patchNode("node", { stall: false, forceTarget: null });
      reader.closeWitnesses();
    }
  }

  test("asks nobody about a producer, so that lie changes nothing", async () => {
    await setNode("ref1", { forceProducer: own });
    expect(await look(all())).toMatchObject({ synced: true, unproved: [], notes: [] });
  });

  test.each(["empty", "error"] as const)("leaves out a reference that shows no momentums: %s", async (noMomentums) => {
    await setNode("ref1", { noMomentums });
    const why = noMomentums === "error" ? "leveldb: not found" : "it does not return the momentums from";
    const left = expect.stringContaining(why);
    const found = await look(all());
    expect(found).toMatchObject({ synced: true, unproved: [], notes: [left] });
    expect(found.proved.at(-1)).toBe(`the chain is confirmed by ${nameOf("ref2")}, ${nameOf("ref3")}`);
    expect(await look(liarAlone())).toMatchObject({ synced: false, why: { kind: "unwitnessed" }, notes: [left] });
  });
});

describe("the guard", () => {
  const question = { pillar, network, epoch: network.epoch, recorded: undefined, oldProducer: own, newProducer: next };
  async function judge(references: readonly string[]) {
    const view = openView(references);
    const asked = await view.read((client) => readChain(client, question, Date.now()));
    const readings = await readSharedHeights(asked, 5000);
    const withdrawAddress = addressFrom("rewards");
    const rewards = readings
      .filter(isAnswered)
      .map(({ client }) => readRewards(client, { ...question, withdrawAddress }, Date.now()));
    const look = { facts: hostFacts({ ...successor.look.facts, producer: next }) };
    const host = { facts: hostFacts({ producer: own }) };
    const read = facts({ host, successor: { ...successor, look }, readings });
    const { unmet, evidence } = decideRetirement(read);
    return { unmet, evidence, kinds: unmet.map(({ kind }) => kind), readings, rewards: await Promise.all(rewards) };
  }
  const says = (name: (typeof names)[number], address: string) => `${nameOf(name)} says ${address}`;

  test("releases a host without a lie", async () => {
    const { kinds, evidence } = await judge(all());
    expect(kinds).toEqual([]);
    expect(evidence.filter((line) => line.includes("is registered and produced"))).toHaveLength(3);
  });

  test.each([
    ["the host itself", own, "registered"],
    ["a stranger", addressFrom("stranger"), "successorNotRegistered"],
  ])("keeps a host while one reference names %s, and says which one to take out", async (_who, address, kind) => {
    await setNode("ref1", { forceProducer: address });
    const { unmet, kinds } = await judge(all());
    expect(kinds).toEqual(expect.arrayContaining(["contradiction", kind]));
    expect(unmet[0]).toMatchObject({
      kind: "contradiction",
      found: [says("ref1", address), says("ref2", next), says("ref3", next)],
      needed: expect.stringMatching(/take the node that is wrong out of pillar-host:retirement\.references/),
    });
    expect(unmet.find((each) => each.kind === kind)?.saidBy).toEqual([nameOf("ref1")]);
    expect((await judge(all().slice(1))).kinds).toEqual([]);
  });

  test.each(["empty", "error"] as const)(
    "does not count a reference that shows no momentums: %s",
    async (noMomentums) => {
      await setNode("ref1", { noMomentums });
      const { kinds, readings } = await judge(all());
      expect([kinds, listLeftOut(readings).length]).toEqual([[], 1]);
      const alone = await judge(liarAlone());
      expect([alone.kinds, alone.rewards]).toEqual([expect.arrayContaining(["noNode"]), []]);
    },
  );
});

describe("the lookup of the registration", () => {
  test("is the majority's; of two nodes that contradict each other, it is unknown", async () => {
    await setNode("ref1", { forceProducer: own });
    const settled = await askAboutPillar(openView(all()), pillar);
    const notes = [`${nameOf("ref1")} contradicts the others: it says ${own}`];
    expect(settled).toMatchObject({ kind: "settled", pillar: { producerAddress: next }, notes });
    const split = await askAboutPillar(openView(all().slice(0, 2)), pillar);
    expect(split).toMatchObject({ kind: "unknown", why: expect.stringContaining("contradict each other") });
  });

  test.each(["empty", "error"] as const)("needs momentums: %s", async (noMomentums) => {
    await setNode("ref1", { noMomentums });
    const settled = await askAboutPillar(openView(all()), pillar);
    expect(settled).toMatchObject({ kind: "settled", pillar: { producerAddress: next }, notes: [expect.any(String)] });
    expect(await askAboutPillar(openView(liarAlone()), pillar)).toMatchObject({ kind: "unknown" });
  });
});

describe("the report", () => {
  const owners = new Map([
    [own, "old"],
    [next, "new"],
  ] as const);
  const read = (references: readonly string[]) =>
    readProduction(openView(references), { pillar, owners, from: Date.now() - 30_000 }, network);

  test("counts by momentums, whatever a reference says of the producer", async () => {
    await setNode("ref1", { forceProducer: own });
    const { source, total } = await read(all());
    expect([source, total.producedMomentums.old, total.missedSlots]).toEqual([
      nameOf("ref1"),
      0,
      { least: 0, most: 0 },
    ]);
    expect(total.producedMomentums.new).toBeGreaterThan(0);
  });

  test.each(["empty", "error"] as const)(
    "asks the next reference if one shows no momentums: %s",
    async (noMomentums) => {
      await setNode("ref1", { noMomentums });
      expect((await read(all())).source).toBe(nameOf("ref2"));
      await expect(read(liarAlone())).rejects.toThrow(nameOf("ref1"));
    },
  );
});
