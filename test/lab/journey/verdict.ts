import { type Judgement, judge, type Played } from "../../../lab/demo/judgement";
import { pillar } from "../../../lab/demo/stacks";
import type { ChainTruth, SignersTruth } from "../../../lab/doubles/chain";
import type { Slot } from "../../../lab/doubles/chain/production";
import type { Lab } from "../../../lab/lab";

/** Returns the chain's verdict on a journey, without the missed slots of hosts whose power was cut. */
export async function verdictBeside(
  lab: Lab,
  {
    addresses,
    outages,
  }: Pick<Played, "addresses"> & { readonly outages: readonly { readonly from: number; readonly to: number }[] },
): Promise<Pick<Judgement, "lines"> & { readonly faults: readonly string[] }> {
  const truth = await lab.chain<ChainTruth>("GET", "/truth");
  const production = await lab.chain<Slot[]>("GET", "/production");
  const signers = await lab.chain<SignersTruth>("GET", "/signers");
  const isOut = ({ at, nodes }: Slot) =>
    nodes.length === 0 && outages.some(({ from, to }) => at >= from - 2000 && at <= to);
  const { isGood, lines } = judge({
    pillar,
    addresses,
    stalls: truth.stalls,
    slotMs: truth.network.momentumSeconds * 1000,
    slots: production.filter((slot) => slot.pillar === pillar && !isOut(slot)),
    doubleProduced: truth.doubleProduced.length,
    doubleSigned: signers.doubles.length,
    withoutSigner: 0,
  });
  return { lines, faults: isGood ? [] : lines.slice(-1) };
}
