import type { Mutant } from "./mutant";
import { nodeMutants } from "./nodeMutants";
import { retirementMutants } from "./retirementMutants";
import { signerMutants } from "./signerMutants";
import { signerScriptMutants } from "./signerScriptMutants";
import { storeMutants } from "./storeMutants";

/** Every mistake that is made. */
export const mutants: readonly Mutant[] = [
  ...signerMutants,
  ...signerScriptMutants,
  ...nodeMutants,
  ...retirementMutants,
  ...storeMutants,
];
