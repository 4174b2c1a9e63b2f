import { tool } from "../../core/util/commands.ts";
import { quoteShellWord } from "../../core/util/quote.ts";

/** The exit code of a command that was ended with Ctrl-C. */
export const interruptedExitCode = 130;

export const afterFailure = "Solve the problem above, if there is one, then run:";

/** Prints the typed command, which continues. */
export function printContinuation(text: string): void {
  console.error(`\n${text}\n  ${[tool, ...process.argv.slice(2).map(quoteShellWord)].join(" ")}`);
}

/** Makes Ctrl-C end the command with the line that continues it. */
export function handleInterruption(): void {
  process.on("SIGINT", () => process.exit(interruptedExitCode));
  process.on("exit", (code) => {
    if (code === interruptedExitCode) printContinuation("Nothing is lost. To continue:");
  });
}
