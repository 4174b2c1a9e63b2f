import { describe, expect, it } from "vitest";
import { readRequiredVersions } from "../../core/chain/versionRules.ts";
import { addressForm, addressFrom } from "../../lab/doubles/address.ts";
import { electedOf } from "../../lab/doubles/chain/elections.ts";
import { Chain, ChainClient, type ChainOptions, serveChain } from "../../lab/doubles/chain/index.ts";

const began = 1_700_000_000_000;
const [oldAddress, newAddress] = [addressFrom("old producer"), addressFrom("new producer")];

/**
 * Creates a chain whose clock a test moves, with reports of the running nodes once a second. Anvil holds every second
 * momentum.
 */
function anvil(nodes: Record<string, string> = {}, options: ChainOptions = { height: 100 }) {
  let now = began;
  const chain = new Chain({ ...options, clock: () => now });
  const startHeight = chain.network().height;
  chain.patchTruth({ backgroundPillars: 1 });
  chain.patchPillar("Anvil", { producerAddress: oldAddress });
  return {
    chain,
    run(seconds: number): void {
      for (let second = 0; second < seconds; second++) {
        const own = { height: chain.network().height, startedAt: began, startHeight, state: 2, synced: true };
        for (const [name, producerAddress] of Object.entries(nodes)) chain.report(name, { ...own, producerAddress });
        now += 1000;
      }
    },
    /** Lets time go by without reports. */
    jump(seconds: number): void {
      now += seconds * 1000;
    },
  };
}

const heights = (list: readonly { readonly height: number }[]) => list.map(({ height }) => height);
const secondsOf = (list: readonly { readonly at: number }[]) => list.map(({ at }) => (at - began) / 1000);

it("an address has the network's format and depends on its seed", () => {
  for (let index = 0; index < 200; index++) expect(addressFrom(`${index}`)).toMatch(addressForm);
  expect(new Set([addressFrom("a"), addressFrom("a"), addressFrom("b")]).size).toBe(2);
});

describe("the network", () => {
  it("grows one momentum per ten seconds, and changes its pace from the newest momentum on", () => {
    const { chain, jump } = anvil();
    jump(9);
    expect(chain.network().height).toBe(100);
    jump(1);
    expect(chain.network().height).toBe(101);
    chain.patchTruth({ momentumSeconds: 1, height: 5_000 });
    expect([chain.momentum(4_999)?.timestamp, chain.momentum(5_000)?.timestamp]).toEqual([
      1_700_000_010, 1_700_000_010,
    ]);
    expect(chain.momentum(5_001)).toBeUndefined();
  });

  it("gives a momentum the same hash on every chain of its id, linked to the one before", () => {
    const chainOf = (options: ChainOptions) => anvil({}, options).chain;
    const hash = chainOf({ height: 100 }).momentum(100)?.hash;
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(chainOf({ height: 200 }).momentum(101)?.previousHash).toBe(hash);
    expect(chainOf({ height: 100, chainId: "other" }).momentum(100)?.hash).not.toBe(hash);
    const main = chainOf({ height: 100, chainId: "main" });
    expect(main.momentum(1)?.hash).toBe(readRequiredVersions().mainNetwork);
    expect(main.momentum(2)?.previousHash).toBe(main.momentum(1)?.hash);
  });
});

describe("production", () => {
  it("gives every second momentum to one of two Pillars, and to its address", () => {
    const { chain, run } = anvil({ host1: oldAddress });
    run(40);
    expect(chain.production().map(({ height, nodes }) => [height, nodes])).toEqual([
      [102, ["host1"]],
      [104, ["host1"]],
    ]);
    expect([102, 103].map((height) => chain.momentum(height)?.producer === oldAddress)).toEqual([true, false]);
    expect([chain.missed(), chain.doubleProduced()]).toEqual([[], []]);
    // Expected are 102, 104, … 120: the whole running tick.
    expect(chain.pillar("Anvil")?.currentStats).toEqual({ producedMomentums: 2, expectedMomentums: 10 });
  });

  it("counts a momentum as missed when the node is gone, not synced, or holds another key", () => {
    const { chain, jump } = anvil();
    const own = { height: 10_000, state: 2, startedAt: began, startHeight: 10_000 };
    jump(20);
    chain.report("host1", { ...own, synced: false, producerAddress: oldAddress });
    jump(19);
    chain.report("host1", { ...own, synced: false, producerAddress: oldAddress });
    chain.report("host2", { ...own, synced: true, producerAddress: newAddress });
    jump(1);
    expect(secondsOf(chain.missed("Anvil"))).toEqual([20, 40]);
    // Its slots stay empty: the momentums of 10, 30 and 50 s follow each other.
    jump(10);
    expect(chain.momentums(101, 10).map(({ timestamp }) => timestamp - began / 1000)).toEqual([10, 30, 50]);
    expect(chain.momentumBefore(began / 1000 + 45)?.height).toBe(102);
  });

  it("notices two producers with one key", () => {
    const { chain, run } = anvil({ old: oldAddress, new: oldAddress });
    run(20);
    expect(chain.doubleProduced().map(({ height, nodes }) => [height, nodes])).toEqual([[102, ["new", "old"]]]);
  });

  it("has none of a node that was behind for more than a tick, until the next tick", () => {
    const { chain, jump } = anvil();
    for (let second = 0; second < 250; second++) {
      const { height } = chain.network();
      const own = { height, state: 2, synced: true, startedAt: began, startHeight: 40 };
      chain.report("host1", { ...own, producerAddress: oldAddress });
      jump(1);
    }
    // Slots 102 to 120, then two of the next tick.
    expect(chain.production().map(({ nodes }) => nodes.length)).toEqual([...Array(10).fill(0), 1, 1]);
  });

  it("draws a tick's slots of a hundred Pillars: half of them of the first thirty", () => {
    const candidates = Array.from({ length: 100 }, (_, at) => ({ name: `${at + 1}`, weight: BigInt(1000 - at) }));
    const elected = Array.from({ length: 1000 }, (_, tick) => electedOf(candidates, 30, `tick ${tick}`));
    const share = (name: string) => elected.filter((names) => names.includes(name)).length / elected.length;
    for (const name of ["1", "30"]) expect(share(name)).toBeCloseTo(15 / 30 + (15 / 30) * (15 / 85), 1);
    for (const name of ["31", "100"]) expect(share(name)).toBeCloseTo(15 / 85, 1);
  });
});

describe("the wallet's update", () => {
  it.each([
    // The contract's block is two momentums later, in 120, the last of a tick: it waits for one whole tick.
    [18, 151],
    // It is in 121, the first of a tick: it waits for two.
    [19, 181],
    [0, 151],
  ])("applies, sent after %d momentums, from slot %d on", (momentums, slot) => {
    const { chain, run } = anvil({ old: oldAddress, new: newAddress });
    run(momentums * 10);
    chain.updateProducer("Anvil", newAddress);
    expect(chain.pillar("Anvil")?.producers.at(-1)?.from).toBe(began + (slot - 100) * 10_000);
  });

  it("leaves the old address producing for two ticks, while the new one is shown with the next momentum", () => {
    const { chain, run } = anvil({ old: oldAddress, new: newAddress });
    run(25);
    chain.updateProducer("Anvil", newAddress);
    expect(chain.pillar("Anvil")?.producerAddress).toBe(oldAddress);
    run(5);
    expect(chain.pillar("Anvil")?.producerAddress).toBe(newAddress);
    run(510);
    const by = (name: string) => heights(chain.production().filter(({ nodes }) => nodes.includes(name)));
    expect([by("old").at(-1), by("new")]).toEqual([150, [152, 154]]);
    expect([chain.missed(), chain.doubleProduced()]).toEqual([[], []]);
  });

  it("costs the momentums of two ticks if the old node ends with it", () => {
    const { chain, run } = anvil({ new: newAddress });
    chain.patchTruth({ tickMomentums: 4 });
    chain.updateProducer("Anvil", newAddress);
    run(150);
    // Ticks begin with slots 97, 101, 105, 109.
    expect(secondsOf(chain.missed("Anvil"))).toEqual([20, 40, 60, 80]);
    expect(chain.network().height).toBe(111);
  });

  it("changes nothing for an address that is or was another Pillar's producer, and is refused for nobody's Pillar", () => {
    const { chain, run } = anvil();
    chain.patchPillar("Hammer", { producerAddress: addressFrom("hammer 1") });
    run(10);
    chain.updateProducer("Hammer", addressFrom("hammer 2"));
    for (const address of ["hammer 1", "hammer 2"])
      expect(chain.updateProducer("Anvil", addressFrom(address)).producerAddress).toBe(oldAddress);
    expect(() => chain.updateProducer("Nail", newAddress)).toThrow("no Pillar is called Nail");
  });
});

it("rewards come for what was produced in an epoch, after the delay, and are 0 for an epoch without", () => {
  const { chain, run, jump } = anvil({ host1: oldAddress }, { height: 101 });
  // Momentum 101 was at 1000 s: epoch 10 runs from 101 to 110, and Anvil holds 102, 104, …
  chain.patchTruth({ epochSeconds: 100, rewardDelaySeconds: 30 });
  const withdrawAddress = addressFrom("rewards of Anvil");
  const paid = (count: number) =>
    chain.rewards.page(withdrawAddress, 0, count).list.map(({ epoch, znnAmount }) => [epoch, Number(znnAmount) / 2e7]);
  run(129);
  expect(paid(1)).toEqual([[9, 0]]);
  run(1);
  expect(paid(1)).toEqual([[10, 5]]);
  run(15);
  jump(200);
  run(60);
  expect(paid(3)).toEqual([
    [12, 0],
    // It produced 112 and 114 until 145 s.
    [11, 2],
    [10, 5],
  ]);
  expect(chain.epochsOf("Anvil", 0, 1).list).toMatchObject([{ epoch: 12, producedBlockNum: 0, expectedBlockNum: 5 }]);
});

it("rewards go to the reward address of their payment, but for what the Pillar then gives its delegators", () => {
  const { chain, run } = anvil({ host1: oldAddress }, { height: 101 });
  chain.patchTruth({ epochSeconds: 100, rewardDelaySeconds: 30 });
  const next = addressFrom("next rewards");
  const paid = (address: string) =>
    chain.rewards.page(address, 0, 3).list.map(({ znnAmount }) => Number(znnAmount) / 2e7);
  run(130);
  chain.patchPillar("Anvil", {
    withdrawAddress: next,
    giveMomentumRewardPercentage: 40,
    giveDelegateRewardPercentage: 80,
  });
  run(100);
  chain.patchPillar("Anvil", { giveMomentumRewardPercentage: 100, giveDelegateRewardPercentage: 100 });
  run(100);
  expect([paid(addressFrom("rewards of Anvil")), paid(next)]).toEqual([
    [0, 0, 5],
    [0, 4, 0],
  ]);
  const shares = chain
    .epochsOf("Anvil", 0, 3)
    .list.map((each) => [each.giveBlockRewardPercentage, each.giveDelegateRewardPercentage]);
  expect(shares).toEqual([
    [100, 100],
    [40, 80],
    [0, 100],
  ]);
});

it("the control API serves the chain over HTTP, takes reports and commands, and names unknown fields", async () => {
  const { chain } = anvil();
  const served = await serveChain({ host: "127.0.0.1", port: 0, chain });
  const client = new ChainClient(served.url);
  const send = (method: string, path: string, body: object) =>
    fetch(`${served.url}${path}`, { method, body: JSON.stringify(body) });
  try {
    const network = { now: began, height: 100, momentumSeconds: 10, chainId: "lab" };
    expect((await client.node("host1")).network).toEqual(network);
    const refused = await send("PATCH", "/nodes/host1", { stal: true });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("stal")]);
    const report = { height: 100, state: 2, synced: true, producerAddress: null, startedAt: 0, startHeight: 100 };
    await client.report("host1", report);
    expect(chain.reportsOf("host1")).toEqual([{ ...report, at: began }]);
    expect([await client.momentum(101), (await fetch(`${served.url}/nope`)).status]).toEqual([null, 404]);
    await send("PATCH", "/orchestrators/host1", { rpcDown: true });
    expect((await client.orchestrator("host1")).settings).toMatchObject({ syncPollMs: 15_000, rpcDown: true });
    await send("POST", "/orchestrators/host1/keyGeneration", {});
    const beat = { kind: "start", identity: "peer", process: "a", hasShare: false } as const;
    expect((await client.beat("host1", beat)).keyGenerations).toBe(1);
    expect(chain.signers.truth().identities.peer?.intervals).toMatchObject([{ host: "host1", process: "a" }]);
  } finally {
    await served.close();
  }
});
