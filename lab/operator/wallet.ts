import { setTimeout as sleep } from "node:timers/promises";
import type { RegisteredPillar, Slot, UncollectedReward } from "../doubles/chain";
import type { Lab } from "../lab";

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

/** Does the operator's step in the wallet before the old host goes: collects all rewards. @returns their amounts */
export function collectRewards(lab: ChainOf, address: string): Promise<UncollectedReward> {
  return lab.chain("POST", `/wallet/rewards/${encodeURIComponent(address)}/collect`);
}

type ChainOf = Pick<Lab, "chain">;
