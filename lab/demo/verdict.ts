import type { ChainTruth, SignersTruth } from "../doubles/chain";
import type { Slot } from "../doubles/chain/production";
import type { Lab } from "../lab";
import { type Judgement, judge, type Played } from "./judgement";
import { pillar } from "./stacks";

/** Judges the journey by the chain alone, which the program cannot influence. */
export async function verdict(lab: Lab, addresses: Played["addresses"]): Promise<Judgement> {
  const truth = await lab.chain<ChainTruth>("GET", "/truth");
  const production = await lab.chain<Slot[]>("GET", "/production");
  const signers = await lab.chain<SignersTruth>("GET", "/signers");
  const gaps = Object.values(signers.identities).flatMap(({ gaps: all }) => all);
  return judge({
    pillar,
    addresses,
    stalls: truth.stalls,
    slotMs: truth.network.momentumSeconds * 1000,
    slots: production.filter((slot) => slot.pillar === pillar),
    doubleProduced: truth.doubleProduced.length,
    doubleSigned: signers.doubles.length,
    withoutSigner: gaps.reduce((sum, { ms }) => sum + Math.max(0, ms), 0),
  });
}
