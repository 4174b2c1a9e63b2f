import { merge } from "./nodes";
import { newPillar, type Pillar, type PillarPatch } from "./pillars";

/** From this height on, this address produces for a Pillar, until the next of its terms begins. */
export interface ProducerTerm {
  producerAddress: string;
  from: number;
}

/** A registered Pillar with all its producers, oldest first; the last of them may not have begun. */
export type RegisteredPillar = Pillar & { producers: ProducerTerm[] };

/** What the real network or the wallet refuses; the status is HTTP's. */
export class Refused extends Error {
  constructor(
    readonly status: 404 | 409,
    message: string,
  ) {
    super(message);
  }
}

/** Who is registered, and who produces for whom from which momentum on. */
export class Registry {
  /** Momentums in one tick of the election: 5 minutes. */
  tickMomentums = 30;
  private readonly pillars = new Map<string, RegisteredPillar>();

  /** All Pillars, in the order of their registration. */
  all(): RegisteredPillar[] {
    return [...this.pillars.values()];
  }

  get(name: string): RegisteredPillar | undefined {
    return this.pillars.get(name);
  }

  /** Registers or updates a Pillar for a test: it counts from the momentum after `height` on. */
  set(name: string, patch: PillarPatch, height: number): RegisteredPillar {
    const known = this.pillars.get(name);
    const pillar = merge(known ?? { ...newPillar(name, this.pillars.size), producers: [] }, patch);
    const begun = pillar.producers.filter(({ from }) => from <= height);
    // Without a new address a term that is still to come stays to come.
    if (known === undefined || patch.producerAddress !== undefined)
      pillar.producers = [...begun, { producerAddress: pillar.producerAddress, from: height + 1 }];
    this.pillars.set(name, pillar);
    return pillar;
  }

  /**
   * The wallet's update of the producer address: shown at once, elected two ticks later.
   *
   * @throws Refused where the real network refuses
   */
  update(name: string, producerAddress: string, height: number): RegisteredPillar {
    const pillar = this.pillars.get(name);
    if (pillar === undefined) throw new Refused(404, `data non existent: no Pillar is called ${name}`);
    const holder = this.all().find((other) => other !== pillar && hasProduced(other, producerAddress));
    if (holder !== undefined)
      throw new Refused(
        409,
        `name or producing address not unique: ${producerAddress} is or was the producer of ${holder.name}`,
      );
    if (producerAddress === pillar.producerAddress) return pillar;
    const term = { producerAddress, from: electedFrom(height, this.tickMomentums) };
    const updated = { ...pillar, producerAddress, producers: [...pillar.producers, term] };
    this.pillars.set(name, updated);
    return updated;
  }
}

/** The address that produces for a Pillar at a momentum. */
export function effectiveProducer(pillar: RegisteredPillar, height: number): string {
  return pillar.producers.findLast(({ from }) => from <= height)?.producerAddress ?? pillar.producerAddress;
}

/** The first momentum after the tick in which the chain stands at `height`. */
export function endOfTick(height: number, tickMomentums: number): number {
  return Math.ceil((height + 1) / tickMomentums) * tickMomentums;
}

/** The first momentum elected with what the wallet sent at `height`: its transaction is in the next momentum. */
export function electedFrom(height: number, tickMomentums: number): number {
  return (Math.floor((height + 1) / tickMomentums) + 2) * tickMomentums;
}

const hasProduced = (pillar: RegisteredPillar, address: string) =>
  pillar.producers.some(({ producerAddress }) => producerAddress === address);
