import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addressFrom } from "../../lab/doubles/address";
import { ChainClient, type ServedChain, serveChain } from "../../lab/doubles/chain";
import { collectRewards, updateProducer } from "../../lab/wallet";
import { chainInHand } from "./chainClock";

const { chain, jump, seconds } = chainInHand({ height: 100 });
const producer = addressFrom("producer");
const rewards = addressFrom("rewards");
let served: ServedChain;

beforeAll(async () => {
  served = await serveChain({ host: "127.0.0.1", port: 0, chain });
});
afterAll(() => served.close());

const lab = {
  chain: async <T>(method: string, path: string, body?: unknown) => {
    const response = await fetch(`${served.url}${path}`, { method, body: JSON.stringify(body) ?? null });
    const answer = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${answer}`);
    return JSON.parse(answer) as T;
  },
};

describe("the wallet's steps", () => {
  it("update the producer of a Pillar, whatever its name, and tell from when on", async () => {
    chain.patchPillar("An/vil 1", { producerAddress: addressFrom("old") });
    const { producerAddress, producers } = await updateProducer(lab, "An/vil 1", producer);
    // Slot 100 is in the tick of 91 to 120, and so is the contract's block in 102.
    const term = { producerAddress: producer, shownFrom: (seconds() + 10) * 1000, from: (seconds() + 510) * 1000 };
    expect([producerAddress, producers.at(-1)]).toEqual([producer, term]);
    jump(10);
    expect(chain.pillar("An/vil 1")?.producerAddress).toBe(producer);
  });

  it("give the wallet's refusals; the network refuses another Pillar's address without a word", async () => {
    chain.patchPillar("Hammer", {});
    await expect(updateProducer(lab, "Nobody", producer)).rejects.toThrow(/^404 .*no Pillar is called Nobody/);
    const { producerAddress } = await updateProducer(lab, "Hammer", producer);
    expect(producerAddress).toBe(addressFrom("first producer of Hammer"));
    await expect(updateProducer(lab, "Hammer", "z1qwrong")).rejects.toThrow(/^400 .*is no address/s);
    await expect(collectRewards(lab, "z1qwrong")).rejects.toThrow(/^400 .*is no address/s);
    await expect(lab.chain("POST", "/wallet/nothing/x")).rejects.toThrow(/^404 .*no such route/);
    await expect(lab.chain("GET", "/wallet/pillars/Hammer")).rejects.toThrow(/^404 .*no such route/);
  });

  it("collect what an address has earned, and tell what it was", async () => {
    chain.patchRewards(rewards, { uncollected: { znnAmount: "12345678901234567890", qsrAmount: "1" } });
    const collected = { address: rewards, znnAmount: "12345678901234567890", qsrAmount: "1" };
    expect(await collectRewards(lab, rewards)).toEqual(collected);
    expect(chain.uncollectedReward(rewards)).toEqual({ address: rewards, znnAmount: "0", qsrAmount: "0" });
  });

  it("are a client's too, beside the network's new terms", async () => {
    const client = new ChainClient(served.url);
    expect((await client.updateProducer("Hammer", addressFrom("hammer 2"))).producerAddress).toBe(
      addressFrom("hammer 2"),
    );
    expect(await client.collectRewards(rewards)).toMatchObject({ znnAmount: "0" });
    const terms = { tickMomentums: 3, epochSeconds: 60, rewardDelaySeconds: 0 };
    expect(await client.patchTruth(terms)).toMatchObject({ ...terms, genesis: chain.momentum(1)?.timestamp });
    await expect(client.patchTruth({ epochSeconds: 0 })).rejects.toThrow("400");
  });
});
