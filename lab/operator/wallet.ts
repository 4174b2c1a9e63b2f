import type { RegisteredPillar, UncollectedReward } from "../doubles/chain";
import type { Lab } from "../lab";

/**
 * The operator's step in the wallet when the new host is synced: its address becomes the Pillar's producer, elected
 * two ticks later.
 *
 * @throws with the network's words for a Pillar that nobody registered, or an address that is or was another Pillar's
 */
export function updateProducer(lab: ChainOf, pillar: string, producerAddress: string): Promise<RegisteredPillar> {
  return lab.chain("POST", `/wallet/pillars/${encodeURIComponent(pillar)}`, { producerAddress });
}

/** The operator's step in the wallet before the old host goes: nothing is left to collect. Gives what it was. */
export function collectRewards(lab: ChainOf, address: string): Promise<UncollectedReward> {
  return lab.chain("POST", `/wallet/rewards/${encodeURIComponent(address)}/collect`);
}

type ChainOf = Pick<Lab, "chain">;
