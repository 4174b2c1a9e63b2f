import { Command, CommanderError } from "commander";
import packageJson from "../package.json" with { type: "json" };
import { changeCommands } from "./commands/changeCommands.ts";
import { readCommands } from "./commands/readCommands.ts";
import { handleInterruption } from "./terminal/interruption.ts";
import { formatError, refusalExitCode } from "./terminal/refusal.ts";

const { version } = packageJson;

const program = new Command("pillar-host")
  .description("The operator's tool beside Pulumi. Run it in the program's directory, like `pulumi up`.")
  .version(version, "-V, --version", "print the program's version")
  .exitOverride()
  .showHelpAfterError("(see --help)");

for (const command of changeCommands) command.hook("preAction", handleInterruption);
// --help lists the commands in this order.
for (const command of [...changeCommands, ...readCommands]) program.addCommand(command.copyInheritedSettings(program));

/** Milliseconds from the end of the command to that of the process, even with open connections. */
const openForMilliseconds = 250;

program
  .parseAsync()
  .catch((error: unknown) => {
    // Commander has already printed its errors, and --help is no error.
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : refusalExitCode;
    else {
      console.error(formatError(error));
      process.exitCode = refusalExitCode;
    }
  })
  // Ends the process a moment later, even if a connection to a dead host is open. An exit at once can hang: it waits
  // for V8's threads, and a thread may wait for a garbage collection on this one.
  .finally(() => setTimeout(() => process.exit(), openForMilliseconds).unref());
