import { type Commands, commandsFor } from "../util/commands";
import { createOperatorError } from "../util/operatorError";

/** Text, or a function of the stack's commands, where several stacks share a place of records. */
type StoreFaultText = string | ((run: Commands) => string);

interface StoreFault extends Error {
  readonly storeFaultText: StoreFaultText;
}

/** Creates the error of an unusable store. It has a mark, because states can't keep an error class. */
export function storeFault(storeFaultText: StoreFaultText, stack = "STACK"): Error {
  const message = typeof storeFaultText === "string" ? storeFaultText : storeFaultText(commandsFor(stack));
  return Object.assign(createOperatorError(message), { storeFaultText });
}

function isStoreFault(error: unknown): error is StoreFault {
  return error instanceof Error && "storeFaultText" in error;
}

/** Opens a store. If that fails, the commands in the error name the stack. @throws storeFault */
export function openForStack<T>(stack: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    throw isStoreFault(error) ? storeFault(error.storeFaultText, stack) : error;
  }
}
