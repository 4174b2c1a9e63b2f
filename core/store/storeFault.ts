import { type Commands, commandsFor } from "../util/commands";
import { operatorFault } from "../util/plainFault";

/** A fault's text, or what makes it with the commands of the stack that meets it: a place of records may be that of several. */
export type StoreFaultText = string | ((run: Commands) => string);

interface StoreFault extends Error {
  readonly storeFaultText: StoreFaultText;
}

/**
 * That records can't be told from what lies there, in the operator's words. Marked instead of a class of its own: the code of
 * dynamic resources, which is stored as text, loses the words of one.
 *
 * @param stack that meets it, as far as it is known
 */
export function storeFault(storeFaultText: StoreFaultText, stack = "STACK"): Error {
  const message = typeof storeFaultText === "string" ? storeFaultText : storeFaultText(commandsFor(stack));
  return Object.assign(operatorFault(message), { storeFaultText });
}

/** True if an error is such a fault. */
export function isStoreFault(error: unknown): error is StoreFault {
  return error instanceof Error && "storeFaultText" in error;
}

/** Opens what may be faulty, for a stack, which the fault's commands then name. @throws storeFault */
export function ofStack<T>(stack: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    throw isStoreFault(error) ? storeFault(error.storeFaultText, stack) : error;
  }
}
