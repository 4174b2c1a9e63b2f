import type { ChainTruth, SignersTruth } from "../doubles/chain/index.ts";
import { liveMs } from "../doubles/chain/nodes.ts";
import type { Slot } from "../doubles/chain/production.ts";
import type { Stall } from "../doubles/stalls.ts";
import type { Lab } from "../lab.ts";

/** Facts of the chain double about a journey. */
export interface Played {
  readonly pillar: string;
  /** Producer addresses of the old and the new host. */
  readonly addresses: { readonly old: string; readonly fresh: string };
  /** All slots of the Pillar. */
  readonly slots: readonly Slot[];
  readonly slotMs: number;
  readonly stalls: readonly Stall[];
  readonly doubleProduced: number;
  readonly doubleSigned: number;
  /** Time without the orchestrator in milliseconds. */
  readonly withoutSigner: number;
}

/** True if the machine caused a missed slot: a process did not run for longer than a slot. */
export function isMachines({ at }: Pick<Slot, "at">, stalls: readonly Stall[], slotMs: number): boolean {
  return stalls.some(({ from, to }) => to - from > slotMs && from <= at && to >= at - liveMs);
}

/** Judges a journey, in words for an operator. It is good if nothing went wrong that the program could have caused. */
export function judge(played: Played) {
  const { pillar, addresses, slots, slotMs, stalls, doubleProduced, doubleSigned } = played;
  const by = (address: string) =>
    slots.filter(({ nodes, producer }) => nodes.length > 0 && producer === address).length;
  const missed = slots.filter(({ nodes }) => nodes.length === 0);
  const machines = missed.filter((slot) => isMachines(slot, stalls, slotMs));
  const own = missed.filter((slot) => !machines.includes(slot));
  const never = (count: number) => (count === 0 ? "never" : `${count} times`);
  const when = (list: readonly Slot[]) => list.map(({ at }) => new Date(at).toISOString().slice(11, 19)).join(", ");
  const faults = [
    ...(own.length === 0 ? [] : [`${pillar} missed ${own.length} of its slots, at ${when(own)} UTC`]),
    ...(doubleProduced === 0 ? [] : ["two nodes produced with one key at once"]),
    ...(doubleSigned === 0 ? [] : ["two orchestrators were at work with one key at once"]),
    ...(by(addresses.fresh) > 0 ? [] : [`the new host produced nothing for ${pillar}`]),
  ];
  return {
    isGood: faults.length === 0,
    lines: [
      `  ${pillar} had ${slots.length} slots: ${by(addresses.old)} produced by the old host, ${by(addresses.fresh)} by the new one, ${missed.length} missed`,
      ...(machines.length === 0
        ? []
        : [
            `    of these ${machines.length} by this machine, at ${when(machines)} UTC: it was so busy that a node of the lab was not run for longer than a slot`,
          ]),
      `  two producers at once: ${never(doubleProduced)}`,
      `  two orchestrators at once: ${never(doubleSigned)}`,
      `  the bridge was without this orchestrator for ${(played.withoutSigner / 1000).toFixed(1)} s, from its last sign of life there to the first here`,
      "    (the report counts from the program's stop to the first answer it had)",
      faults.length === 0
        ? "  So it went well: the exit code is 0."
        : `  So it did not go well, and the exit code is 1: ${faults.join("; ")}.`,
    ],
  };
}

/** Judges the journey by the chain alone, which the program cannot influence. */
export async function verdict(
  lab: Lab,
  pillar: string,
  addresses: Played["addresses"],
  isCounted: (slot: Slot) => boolean = () => true,
) {
  const truth = await lab.chain<ChainTruth>("GET", "/truth");
  const production = await lab.chain<Slot[]>("GET", "/production");
  const signers = await lab.chain<SignersTruth>("GET", "/signers");
  const gaps = Object.values(signers.identities).flatMap(({ gaps: all }) => all);
  return judge({
    pillar,
    addresses,
    stalls: truth.stalls,
    slotMs: truth.network.momentumSeconds * 1000,
    slots: production.filter((slot) => slot.pillar === pillar && isCounted(slot)),
    doubleProduced: truth.doubleProduced.length,
    doubleSigned: signers.doubles.length,
    withoutSigner: gaps.reduce((sum, { ms }) => sum + Math.max(0, ms), 0),
  });
}
