import { Command, CommanderError } from "commander";
import { backupCommand, notifyCommand } from "./commands/keepCommands";
import { checkCommand, nextCommand, reportCommand, statusCommand } from "./commands/lookCommands";
import { adoptCommand, initCommand, moveCommand, resumeCommand, retireCommand } from "./commands/stackCommands";
import { formatError, refusalExitCode } from "./terminal/refusal";

const { version } = require("../package.json") as typeof import("../package.json");

const program = new Command("pillar-host")
  .description("The operator's tool beside Pulumi. Run it where `pulumi up` runs: in the program's directory.")
  .version(version, "-V, --version", "print the program's version")
  .exitOverride()
  .showHelpAfterError("(--help tells more)");

// In the order in which --help shows them.
for (const add of [
  initCommand,
  statusCommand,
  nextCommand,
  checkCommand,
  backupCommand,
  adoptCommand,
  moveCommand,
  retireCommand,
  notifyCommand,
  resumeCommand,
  reportCommand,
])
  add(program);

/** What is still open after that, milliseconds, ends with the process. */
const openForMilliseconds = 250;

program
  .parseAsync()
  .catch((error: unknown) => {
    // Commander has shown its own; help that was asked for is no error.
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : refusalExitCode;
    else {
      console.error(formatError(error));
      process.exitCode = refusalExitCode;
    }
  })
  // A connection to a host that went away would keep it from ending. Not at once: an exit waits for V8's own threads, and
  // one of them that waits for a garbage collection by this one, as after much that was read, waits for ever.
  .finally(() => setTimeout(() => process.exit(), openForMilliseconds).unref());
