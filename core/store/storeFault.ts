import { type Commands, commandsFor } from "../util/commands";
import { operatorFault } from "../util/plainFault";

/** A fault's text, or a function of the stack's commands, since several stacks may share a place of records. */
export type StoreFaultText = string | ((run: Commands) => string);

interface StoreFault extends Error {
  readonly storeFaultText: StoreFaultText;
}

/** Makes the error of an unusable store. It is marked, as the stored code of dynamic resources can't keep an error class. */
export function storeFault(storeFaultText: StoreFaultText, stack = "STACK"): Error {
  const message = typeof storeFaultText === "string" ? storeFaultText : storeFaultText(commandsFor(stack));
  return Object.assign(operatorFault(message), { storeFaultText });
}

/** True if an error is such a fault. */
export function isStoreFault(error: unknown): error is StoreFault {
  return error instanceof Error && "storeFaultText" in error;
}

/** Opens a store for a stack, so that a fault's commands name it. @throws storeFault */
export function ofStack<T>(stack: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    throw isStoreFault(error) ? storeFault(error.storeFaultText, stack) : error;
  }
}
