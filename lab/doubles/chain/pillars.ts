import { z } from "zod";
import { addressForm, addressFrom } from "../address";

const address = z.string().regex(addressForm, "is no address");

/** A Pillar as it is registered on the chain. */
export const pillarSchema = z.strictObject({
  name: z.string().min(1),
  rank: z.number().int().nonnegative(),
  ownerAddress: address,
  producerAddress: address,
  /** The reward address. */
  withdrawAddress: address,
  isRevocable: z.boolean(),
  /** Delegated weight, a number too big for a float. */
  weight: z.string().regex(/^\d+$/),
  /** Percent of its rewards that it gives to whoever delegates to it. */
  giveMomentumRewardPercentage: z.number().int().min(0).max(100),
  giveDelegateRewardPercentage: z.number().int().min(0).max(100),
});

/** A registered Pillar. */
export type Pillar = z.infer<typeof pillarSchema>;

/** What is given of a Pillar when it is registered or updated; the rest is derived from its name. */
export const pillarPatchSchema = pillarSchema.omit({ name: true }).partial();

/** A change of a Pillar. */
export type PillarPatch = { [K in keyof Omit<Pillar, "name">]?: Pillar[K] | undefined };

/** The Pillar that a registration under `name` with nothing else makes. */
export function newPillar(name: string, rank: number): Pillar {
  return {
    name,
    rank,
    ownerAddress: addressFrom(`owner of ${name}`),
    producerAddress: addressFrom(`first producer of ${name}`),
    withdrawAddress: addressFrom(`rewards of ${name}`),
    isRevocable: true,
    weight: "1500000000000000",
    giveMomentumRewardPercentage: 0,
    giveDelegateRewardPercentage: 100,
  };
}
