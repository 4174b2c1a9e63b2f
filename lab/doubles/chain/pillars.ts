import { z } from "zod";
import { addressForm, addressFrom } from "../address";

export const addressSchema = z.string().regex(addressForm, "is no address");

/** A Pillar as the chain registers it. */
export interface Pillar {
  name: string;
  producerAddress: string;
  /** The reward address. */
  withdrawAddress: string;
  /** Delegated weight. Too big for a float. */
  weight: string;
}

export const pillarPatchSchema = z.strictObject({ producerAddress: addressSchema.optional() });

/** Change of a Pillar for a test. */
export type PillarPatch = z.infer<typeof pillarPatchSchema>;

export const registeredWeight = "1500000000000000";

/** Returns the Pillar that a registration with nothing but a name creates. */
export function newPillar(name: string): Pillar {
  return {
    name,
    producerAddress: addressFrom(`first producer of ${name}`),
    withdrawAddress: addressFrom(`rewards of ${name}`),
    weight: registeredWeight,
  };
}
