import { merge } from "./nodes";
import { newPillar, type Pillar, type PillarPatch } from "./pillars";

/** An address, from when on the RPC shows it, and from when on it produces; milliseconds. */
export interface ProducerTerm {
  producerAddress: string;
  shownFrom: number;
  from: number;
}

/** A registered Pillar with all its producers, oldest first; the last of them may not have begun. */
export type RegisteredPillar = Pillar & { producers: ProducerTerm[] };

/** What the wallet refuses; the status is HTTP's. */
export class Refused extends Error {
  constructor(
    readonly status: 404,
    message: string,
  ) {
    super(message);
  }
}

/** Who is registered, and who produces for whom from when on. Times in milliseconds. */
export class Registry {
  private readonly pillars = new Map<string, RegisteredPillar>();

  /** All Pillars, in the order of their registration. */
  all(): RegisteredPillar[] {
    return [...this.pillars.values()];
  }

  get(name: string): RegisteredPillar | undefined {
    return this.pillars.get(name);
  }

  /** Registers or updates a Pillar for a test: it is shown at once, and counts from the next slot on. */
  set(name: string, patch: PillarPatch, { now, next }: { now: number; next: number }): RegisteredPillar {
    const known = this.pillars.get(name);
    const pillar = merge(known ?? { ...newPillar(name, this.pillars.size), producers: [] }, patch);
    const begun = pillar.producers.filter(({ from }) => from <= now);
    // Without a new address a term that is still to come stays to come.
    if (known === undefined || patch.producerAddress !== undefined)
      pillar.producers = [...begun, { producerAddress: pillar.producerAddress, shownFrom: now, from: next }];
    this.pillars.set(name, pillar);
    return pillar;
  }

  /**
   * The wallet's update of the producer address. One that another Pillar has, or had, is confirmed all the same, and
   * nothing changes: the contract refuses it without a word.
   *
   * @param term from when on it is shown and elected
   * @throws Refused for a Pillar that nobody registered
   */
  update(name: string, producerAddress: string, term: Omit<ProducerTerm, "producerAddress">): RegisteredPillar {
    const pillar = this.pillars.get(name);
    if (pillar === undefined) throw new Refused(404, `data non existent: no Pillar is called ${name}`);
    const isTaken = this.all().some((other) => other !== pillar && hasProduced(other, producerAddress));
    if (isTaken || producerAddress === pillar.producerAddress) return pillar;
    const updated = { ...pillar, producerAddress, producers: [...pillar.producers, { producerAddress, ...term }] };
    this.pillars.set(name, updated);
    return updated;
  }
}

/** The address that produces for a Pillar at a time. */
export function effectiveProducer(pillar: RegisteredPillar, at: number): string {
  return pillar.producers.findLast(({ from }) => from <= at)?.producerAddress ?? pillar.producerAddress;
}

/** The address that the RPC shows at a time. */
export function shownProducer(pillar: RegisteredPillar, at: number): string {
  return pillar.producers.findLast(({ shownFrom }) => shownFrom <= at)?.producerAddress ?? pillar.producerAddress;
}

const hasProduced = (pillar: RegisteredPillar, address: string) =>
  pillar.producers.some(({ producerAddress }) => producerAddress === address);
