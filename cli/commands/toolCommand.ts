import { Command } from "commander";

export const upExitCode =
  "Exit code: that of pulumi up; 2 if pulumi up was not run (the output says why, and what to do)";

export class ToolCommand extends Command {
  /** Adds a text below the options. */
  explain(text: string): this {
    return this.addHelpText("after", text);
  }

  /** Adds what all commands have that end in a pulumi up. */
  endsInUp(): this {
    return this.argument("[args...]", "after --: passed on to pulumi up")
      .option("--no-up", "write the stack's file, and print the pulumi command instead of running it")
      .explain(`\n${upExitCode}`);
  }

  /** Adds what all commands have that move the orchestrator. */
  movesOrchestrator(): this {
    const hash =
      "its hash; default: the configured one, else the command shows the hash from the checksum file beside it, and asks";
    const first = "confirm that no move of this orchestrator ever began; needed if the event log has none";
    return this.option(
      "--release <url>",
      "the orchestrator's release for the new host; default: the configured one, else v0.0.9a",
    )
      .option("--release-sha256 <hash>", hash)
      .option("--release-version <version>", "its version; default: the configured one, or that in the address")
      .option("--first-move", first);
  }

  /** Loads the code when the command runs: --help does without the half second that schema and ssh need. */
  load<Args extends readonly unknown[]>(load: () => Promise<(...args: Args) => Promise<number>>): this {
    // Commander adds the command behind arguments and options.
    return this.action(async (...args: readonly unknown[]) => {
      const run = await load();
      process.exitCode = await run(...(args.slice(0, -1) as unknown as Args));
    });
  }
}
