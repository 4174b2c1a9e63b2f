import { beforeEach, describe, expect, it } from "vitest";
import { addressForm, addressFrom, randomAddress } from "../../lab/doubles/address";
import { Chain, ChainClient, serveChain } from "../../lab/doubles/chain";

let now = 0;
const clock = () => now;
const producer = addressFrom("test producer");

beforeEach(() => {
  now = 1_700_000_000_000;
});

const chainAt = (height: number) => new Chain({ clock, height });
const report = (producerAddress: string | null, synced = true) => ({
  height: 10_000,
  state: 2,
  synced,
  producerAddress,
  startedAt: 1_700_000_000_000,
  startHeight: 10_000,
});

describe("addresses", () => {
  it("have the network's format and depend on their seed", () => {
    for (let index = 0; index < 200; index++) expect(randomAddress()).toMatch(addressForm);
    expect(addressFrom("a")).toHaveLength(40);
    expect(addressFrom("a")).toBe(addressFrom("a"));
    expect(addressFrom("a")).not.toBe(addressFrom("b"));
  });
});

describe("the network", () => {
  it("grows one momentum per ten seconds", () => {
    const chain = chainAt(100);
    now += 9_999;
    expect(chain.network().height).toBe(100);
    now += 1;
    expect(chain.network().height).toBe(101);
    now += 100_000;
    expect(chain.network().height).toBe(111);
  });

  it("changes its pace from the newest momentum on", () => {
    const chain = chainAt(100);
    now += 25_000;
    chain.patchTruth({ momentumSeconds: 1 });
    expect(chain.network().height).toBe(107);
    expect(chain.momentum(101)?.timestamp).toBe(1_700_000_010);
    expect(chain.momentum(102)?.timestamp).toBe(1_700_000_020);
    expect(chain.momentum(103)?.timestamp).toBe(1_700_000_021);
  });

  it("never dates a momentum into the future after a jump of the height", () => {
    const chain = chainAt(100);
    chain.patchTruth({ height: 5_000 });
    expect(chain.momentum(4_999)?.timestamp).toBe(1_700_000_000);
    expect(chain.momentum(5_000)?.timestamp).toBe(1_700_000_000);
    expect(chain.momentum(5_001)).toBeUndefined();
  });

  it("has recent momentums below a height that was set lower, on a chain as old as before", () => {
    const chain = chainAt(14_900_000);
    const genesis = chain.momentum(1)?.timestamp;
    chain.patchTruth({ height: 20_000 });
    expect(chain.momentum(19_900)?.timestamp).toBe(1_700_000_000 - 1000);
    expect(chain.momentum(1)?.timestamp).toBe(genesis);
  });

  it("gives a momentum the same hash on every chain of its id, linked to the one before", () => {
    const chain = chainAt(100);
    const hash = chain.momentum(100)?.hash;
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(chainAt(200).momentum(100)?.hash).toBe(hash);
    expect(chainAt(200).momentum(101)?.previousHash).toBe(hash);
    expect(new Chain({ clock, height: 100, chainId: "other" }).momentum(100)?.hash).not.toBe(hash);
    expect(chain.momentum(0)).toBeUndefined();
  });
});

describe("many momentums", () => {
  it("come at once, each with its own producer, as far as they exist", () => {
    const chain = chainAt(2_000);
    chain.patchTruth({ backgroundPillars: 1 });
    chain.patchPillar("Anvil", { producerAddress: producer });
    for (let second = 0; second < 50; second++) {
      chain.report("host1", report(producer));
      now += 1000;
    }
    const list = chain.momentums(1_001, 1_024);
    expect(list.map(({ height }) => height)).toEqual(Array.from({ length: 1_005 }, (_, i) => 1_001 + i));
    expect(list.every((momentum) => momentum.hash === chain.momentum(momentum.height)?.hash)).toBe(true);
    expect(list.filter((momentum) => momentum.producer === producer).map(({ height }) => height)).toEqual([2002, 2004]);
    expect(chain.momentums(9_999, 5)).toEqual([]);
    expect(chain.momentums(-3, 5).map(({ height }) => height)).toEqual([1]);
  });
});

describe("settings", () => {
  it("are the defaults for an unknown name, and stay once set", () => {
    const chain = chainAt(100);
    chain.patchTruth({ defaults: { rate: 7 } });
    chain.patchNode("host1", { peers: 0 });
    expect(chain.node("host1").settings).toMatchObject({ rate: 7, peers: 0 });
    expect(chain.node("host2").settings).toMatchObject({ rate: 7, peers: 8 });
    chain.patchTruth({ defaults: { rate: 9 } });
    expect(chain.node("host1").settings).toMatchObject({ rate: 9, peers: 0 });
  });
});

describe("production", () => {
  const produce = (chain: Chain, momentums: number, ...nodes: string[]) => {
    for (let index = 0; index < momentums * 10; index++) {
      for (const name of nodes) chain.report(name, report(producer));
      now += 1000;
    }
  };
  const registered = () => {
    const chain = chainAt(100);
    chain.patchTruth({ backgroundPillars: 1 });
    chain.patchPillar("Anvil", { producerAddress: producer });
    return chain;
  };

  it("gives every second momentum to one of two Pillars, and to its address", () => {
    const chain = registered();
    produce(chain, 4, "host1");
    expect(chain.production().map(({ height, nodes }) => [height, nodes])).toEqual([
      [102, ["host1"]],
      [104, ["host1"]],
    ]);
    expect(chain.momentum(102)?.producer).toBe(producer);
    expect(chain.momentum(103)?.producer).not.toBe(producer);
    expect(chain.missed()).toEqual([]);
    expect(chain.doubleProduced()).toEqual([]);
  });

  it("counts a momentum as missed when the node is gone, not synced, or holds another key", () => {
    const chain = registered();
    now += 20_000;
    chain.report("host1", report(producer, false));
    now += 1_000;
    expect(chain.missed("Anvil").map((slot) => slot.height)).toEqual([102]);
    now += 18_000;
    chain.report("host1", report(producer, false));
    chain.report("host2", report(addressFrom("another")));
    now += 1_000;
    expect(chain.missed("Anvil").map(({ at }) => (at - 1_700_000_000_000) / 1000)).toEqual([20, 40]);
    expect(chain.missed("Other")).toEqual([]);
    // Its slots stay empty: the momentums of 10, 30 and 50 s follow each other.
    now += 10_000;
    const times = chain.momentums(101, 10).map(({ timestamp }) => timestamp - 1_700_000_000);
    expect([chain.network().height, times]).toEqual([103, [10, 30, 50]]);
    expect(chain.momentumBefore(1_700_000_045)?.height).toBe(102);
    expect(chain.momentums(101, 10).every((momentum) => momentum.producer !== producer)).toBe(true);
  });

  it("notices two producers with one key", () => {
    const chain = registered();
    produce(chain, 2, "old", "new");
    expect(chain.doubleProduced().map(({ height, nodes }) => [height, nodes])).toEqual([[102, ["new", "old"]]]);
  });

  it("needs no producer for skipped momentums, and forgets reverted ones", () => {
    const chain = registered();
    produce(chain, 4, "host1");
    chain.patchTruth({ height: 1_000 });
    expect(chain.production().map(({ height }) => height)).toEqual([102, 104]);
    chain.patchTruth({ height: 101, backgroundPillars: 2 });
    produce(chain, 4, "host1");
    // With three Pillars, Anvil has 102 and 105 now.
    expect(chain.momentum(104)?.producer).not.toBe(producer);
    expect([102, 105].map((height) => chain.momentum(height)?.producer)).toEqual([producer, producer]);
  });

  it("expects the whole running tick of 30 slots, from the 91st", () => {
    const chain = registered();
    produce(chain, 2, "host1");
    // Expected are 102, 104, … 120.
    expect(chain.pillar("Anvil")?.currentStats).toEqual({ producedMomentums: 1, expectedMomentums: 10 });
  });

  it("counts anew in each epoch, and keeps the exact figures of those that were paid", () => {
    const chain = registered();
    chain.patchTruth({ epochSeconds: 300, rewardDelaySeconds: 60 });
    // Epoch 3 ends with the tick of slot 120, where the node has gone.
    produce(chain, 12, "host1");
    now += 80_000;
    expect(chain.epochsOf("Anvil", 0, 2).list.map(({ epoch }) => epoch)).toEqual([2, 1]);
    produce(chain, 1, "host1");
    expect(chain.pillar("Anvil")?.currentStats).toEqual({ producedMomentums: 0, expectedMomentums: 15 });
    produce(chain, 6, "host1");
    expect(chain.epochsOf("Anvil", 0, 1)).toMatchObject({
      count: 4,
      list: [{ name: "Anvil", epoch: 3, producedBlockNum: 6, expectedBlockNum: 10, giveBlockRewardPercentage: 0 }],
    });
    expect(chain.epochsOf("Nobody", 0, 5)).toEqual({ count: 0, list: [] });
  });

  it("has none of a node that was behind for more than a tick, until the next tick", () => {
    const chain = registered();
    const restarted = { ...report(producer), startedAt: now, startHeight: 40, height: 40 };
    // Its chain ended before the tick of the slots 61 to 90; it reaches the tip at once, and reports it.
    for (let second = 0; second < 250; second++) {
      chain.report("host1", { ...restarted, height: chain.network().height });
      now += 1000;
    }
    expect(chain.production().map(({ nodes }) => nodes)).toEqual([
      // Slots 102 to 120.
      ...Array.from({ length: 10 }, () => []),
      ["host1"],
      ["host1"],
    ]);
  });
});

describe("the control API", () => {
  it("serves its state over HTTP, takes reports, and names unknown fields", async () => {
    const chain = chainAt(100);
    const served = await serveChain({ host: "127.0.0.1", port: 0, chain });
    const client = new ChainClient(served.url);
    try {
      expect((await client.node("host1")).network).toEqual({ now, height: 100, momentumSeconds: 10, chainId: "lab" });
      const patch = { method: "PATCH", body: JSON.stringify({ stal: true }) };
      const refused = await fetch(`${served.url}/nodes/host1`, patch);
      expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("stal")]);
      await client.report("host1", report(producer));
      expect(chain.reportsOf("host1")).toEqual([{ ...report(producer), at: now }]);
      expect((await client.momentum(100))?.height).toBe(100);
      expect(await client.momentum(101)).toBeNull();
      expect((await client.momentums(99, 10)).at(-1)).toEqual(chain.momentum(100));
      expect((await fetch(`${served.url}/nope`)).status).toBe(404);
    } finally {
      await served.close();
    }
  });
});
