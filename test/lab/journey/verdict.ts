import { type Played, verdict } from "../../../lab/demo/judgement.ts";
import type { Slot } from "../../../lab/doubles/chain/production.ts";
import type { Lab } from "../../../lab/lab.ts";
import { pillar } from "./stacks.ts";

/** Returns the chain's verdict on a journey, without the missed slots of hosts whose power was cut. */
export async function verdictBeside(
  lab: Lab,
  {
    addresses,
    outages,
  }: Pick<Played, "addresses"> & { readonly outages: readonly { readonly from: number; readonly to: number }[] },
) {
  const isOut = ({ at, nodes }: Slot) =>
    nodes.length === 0 && outages.some(({ from, to }) => at >= from - 2000 && at <= to);
  const { isGood, lines } = await verdict(lab, pillar, addresses, (slot) => !isOut(slot));
  return { lines, faults: isGood ? [] : lines.slice(-1) };
}
