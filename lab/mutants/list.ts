import type { Mutant } from "./mutant";
import { nodeMutants } from "./nodeMutants";
import { signerMutants } from "./signerMutants";
import { storeMutants } from "./storeMutants";

/** Every mistake that is made. */
export const mutants: readonly Mutant[] = [...signerMutants, ...nodeMutants, ...storeMutants];
