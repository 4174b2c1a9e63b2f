import { z } from "zod";
import { addressForm, addressFrom } from "../address";

const address = z.string().regex(addressForm, "is no address");

/** A Pillar as the chain registers it. */
export const pillarSchema = z.strictObject({
  name: z.string().min(1),
  rank: z.number().int().nonnegative(),
  ownerAddress: address,
  producerAddress: address,
  /** The reward address. */
  withdrawAddress: address,
  isRevocable: z.boolean(),
  /** Delegated weight. Too big for a float. */
  weight: z.string().regex(/^\d+$/),
  /** Percentage of its rewards that the Pillar gives to its delegators. */
  giveMomentumRewardPercentage: z.number().int().min(0).max(100),
  giveDelegateRewardPercentage: z.number().int().min(0).max(100),
});

export type Pillar = z.infer<typeof pillarSchema>;

/** Values that a registration or an update can set. The others are derived from the name. */
export const pillarPatchSchema = pillarSchema.omit({ name: true }).partial();

/** Change of a Pillar: holds only the changed values. */
export type PillarPatch = { [K in keyof Omit<Pillar, "name">]?: Pillar[K] | undefined };

/** Returns the Pillar that a registration with nothing but a name creates. */
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
