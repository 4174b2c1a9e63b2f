import { plainFault } from "../../core/util/plainFault";
import { printableLines } from "../../core/util/printable";

/** Why the tool ends without having done its work; for the operator, so it is shown without a stack trace. */
export class CliRefusal extends Error {}

/** An error as it is shown: one that is for the operator without a stack. Others' words may be in any of them. */
export function formatError(error: unknown): string {
  const words = error instanceof CliRefusal ? error.message : plainFault(error);
  return printableLines(words ?? (error instanceof Error ? (error.stack ?? error.message) : String(error)));
}

/** The exit code of a refusal, and of an unusable command line. */
export const refusalExitCode = 2;
