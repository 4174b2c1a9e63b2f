import { setTimeout as sleep } from "node:timers/promises";
import type { ChainTruth, RegisteredPillar, Slot } from "../doubles/chain/index.ts";
import type { Lab } from "../lab.ts";

/**
 * Does the operator's step in the wallet once the new host is synced: makes its address the Pillar's producer, which is
 * elected two ticks later.
 * @throws with the network's words if nobody registered the Pillar, or if the address is or was another Pillar's
 */
export function updateProducer(lab: ChainOf, pillar: string, producerAddress: string): Promise<RegisteredPillar> {
  return lab.chain("POST", `/wallet/pillars/${encodeURIComponent(pillar)}`, { producerAddress });
}

/** Waits, like the operator, until a momentum carries the address. */
export async function awaitProduction(lab: ChainOf, producerAddress: string): Promise<void> {
  const isProducing = ({ producer, nodes }: Slot) => producer === producerAddress && nodes.length > 0;
  while (!(await lab.chain<Slot[]>("GET", "/production")).some(isProducing)) await sleep(500);
}

/** Waits until the first whole epoch from now is paid. @throws if it is not within two minutes */
export async function awaitPaidEpoch(lab: ChainOf): Promise<void> {
  const { epoch } = await lab.chain<ChainTruth>("GET", "/truth");
  const deadline = Date.now() + 120_000;
  while ((await lab.chain<ChainTruth>("GET", "/truth")).distributedEpoch <= epoch) {
    if (Date.now() > deadline) throw new Error(`epoch ${epoch + 1} was not paid within two minutes`);
    await sleep(250);
  }
}

/** Does the operator's step in the wallet before the old host goes: collects all rewards of a Pillar. */
export async function collectRewards(lab: ChainOf, pillar: string): Promise<void> {
  const { pillars } = await lab.chain<ChainTruth>("GET", "/truth");
  const address = pillars.find(({ name }) => name === pillar)?.withdrawAddress ?? "";
  await lab.chain("POST", `/wallet/rewards/${address}/collect`);
}

/**
 * Waits for a paid epoch, stops all payments, and collects. If they went on, more would wait after some epochs than the
 * program reads in the paid ones, and it would take the rewards for uncollected.
 */
export async function collectLastRewards(lab: ChainOf, pillar: string): Promise<void> {
  await awaitPaidEpoch(lab);
  await lab.chain("PATCH", "/truth", { rewardDelaySeconds: 100_000 });
  await collectRewards(lab, pillar);
}

type ChainOf = Pick<Lab, "chain">;
