import { z } from "zod";
import { addressForm, addressFrom } from "../address.ts";

export const addressSchema = z.string().regex(addressForm, "is no address");

const percentage = z.number().int().min(0).max(100);

export const pillarPatchSchema = z
  .strictObject({
    producerAddress: addressSchema,
    withdrawAddress: addressSchema,
    ownerAddress: addressSchema,
    /** Delegated weight, which decides the rank. */
    weight: z.string().regex(/^\d+$/),
    giveMomentumRewardPercentage: percentage,
    giveDelegateRewardPercentage: percentage,
  })
  .partial();

/** Change of a Pillar for a test. */
export type PillarPatch = z.infer<typeof pillarPatchSchema>;

/** Weight of a Pillar that no test registered. */
export const backgroundWeight = "1000000000000000";

/** Returns the Pillar that a registration with nothing but a name creates. */
export function newPillar(name: string) {
  return {
    name,
    producerAddress: addressFrom(`first producer of ${name}`),
    /** The reward address. */
    withdrawAddress: addressFrom(`rewards of ${name}`),
    ownerAddress: addressFrom(`rewards of ${name}`),
    /** Delegated weight. Too big for a float. */
    weight: "1500000000000000",
    /** Percentages of its two kinds of rewards that go to its delegators. */
    giveMomentumRewardPercentage: 0,
    giveDelegateRewardPercentage: 100,
  };
}

/** A Pillar as the chain registers it. */
export type Pillar = ReturnType<typeof newPillar>;

/** Producer address with its first moment in the RPC and its first moment as producer, both in milliseconds. */
export interface ProducerTerm {
  producerAddress: string;
  shownFrom: number;
  from: number;
}

/** A registered Pillar with all its producers, oldest first. The last one may still lie in the future. */
export type RegisteredPillar = Pillar & { producers: ProducerTerm[] };

/** An action that the wallet refuses. */
export class Refused extends Error {}

/** Registered Pillars and their producers. Times in milliseconds. */
export class Registry {
  private readonly pillars = new Map<string, RegisteredPillar>();

  /** Returns all Pillars in the order of their registration. */
  all(): RegisteredPillar[] {
    return [...this.pillars.values()];
  }

  get(name: string): RegisteredPillar | undefined {
    return this.pillars.get(name);
  }

  /**
   * Registers or updates a Pillar for a test. The RPC shows the change at once; it takes effect from the next slot on.
   */
  set(name: string, patch: PillarPatch, { now, next }: { now: number; next: number }): RegisteredPillar {
    const known = this.pillars.get(name);
    const pillar = { ...(known ?? { ...newPillar(name), producers: [] }), ...patch };
    const begun = pillar.producers.filter(({ from }) => from <= now);
    // If the patch has no address, a future term stays as it is.
    if (known === undefined || patch.producerAddress !== undefined)
      pillar.producers = [...begun, { producerAddress: pillar.producerAddress, shownFrom: now, from: next }];
    this.pillars.set(name, pillar);
    return pillar;
  }

  /**
   * Updates the producer address, as the wallet does. An address that another Pillar has or had changes nothing: the
   * block is confirmed, and the contract silently refuses the address.
   * @param term when the RPC shows the address and when it produces
   * @throws Refused for a Pillar that nobody registered
   */
  update(name: string, producerAddress: string, term: Omit<ProducerTerm, "producerAddress">): RegisteredPillar {
    const pillar = this.pillars.get(name);
    if (pillar === undefined) throw new Refused(`data non existent: no Pillar is called ${name}`);
    const isTaken = this.all().some((other) => other !== pillar && hasProduced(other, producerAddress));
    if (isTaken || producerAddress === pillar.producerAddress) return pillar;
    const updated = { ...pillar, producerAddress, producers: [...pillar.producers, { producerAddress, ...term }] };
    this.pillars.set(name, updated);
    return updated;
  }
}

/** Returns the address that produces for a Pillar at a time. */
export function effectiveProducer(pillar: RegisteredPillar, at: number): string {
  return pillar.producers.findLast(({ from }) => from <= at)?.producerAddress ?? pillar.producerAddress;
}

/** Returns the address that the RPC shows at a time. */
export function shownProducer(pillar: RegisteredPillar, at: number): string {
  return pillar.producers.findLast(({ shownFrom }) => shownFrom <= at)?.producerAddress ?? pillar.producerAddress;
}

const hasProduced = (pillar: RegisteredPillar, address: string) =>
  pillar.producers.some(({ producerAddress }) => producerAddress === address);
