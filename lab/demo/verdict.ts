import type { ChainTruth, SignersTruth } from "../doubles/chain";
import type { Lab } from "../lab";
import { pillar } from "./stacks";

/** What the chain itself says of the journey: nothing that the program could have made up. */
export async function verdict(lab: Lab): Promise<{ readonly isGood: boolean; readonly lines: string[] }> {
  const truth = await lab.chain<ChainTruth>("GET", "/truth");
  const signers = await lab.chain<SignersTruth>("GET", "/signers");
  const missed = truth.missed.filter((slot) => slot.pillar === pillar);
  const gaps = Object.values(signers.identities).flatMap(({ gaps: all }) => all);
  const without = gaps.reduce((sum, { ms }) => sum + Math.max(0, ms), 0) / 1000;
  const never = (count: number) => (count === 0 ? "never" : `${count} times`);
  const stats = truth.pillars.find(({ name }) => name === pillar)?.currentStats;
  return {
    isGood: missed.length === 0 && truth.doubleProduced.length === 0 && signers.doubles.length === 0,
    lines: [
      `  momentums of ${pillar}: ${stats?.producedMomentums ?? 0} produced, ${missed.length} missed`,
      `  two producers at once: ${never(truth.doubleProduced.length)}`,
      `  two signers at once: ${never(signers.doubles.length)}`,
      `  the bridge was without this signer for ${without.toFixed(1)} s`,
    ],
  };
}
