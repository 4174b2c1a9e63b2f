import type { Offer } from "../../../core/cloud/chooseOffer.ts";

/** Returns an offer of a plan in fsn1, unless it is changed. */
export const offer = (plan: string, monthly: number, change: Partial<Offer> = {}): Offer => ({
  plan,
  location: "fsn1",
  cores: 4,
  memoryGb: 8,
  diskGb: 80,
  monthly,
  currency: "EUR",
  isAvailable: true,
  ...change,
});
