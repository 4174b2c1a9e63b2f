import { Command, CommanderError, Option } from "commander";
import { CliRefusal, couldNot } from "./refusal";

const program = new Command("pillar-host")
  .description("The operator's tool beside Pulumi. Run it where `pulumi up` runs: in the program's directory.")
  .exitOverride()
  .showHelpAfterError("(--help tells more)");

program
  .command("status")
  .argument("<stack...>", "such as prod; several are shown one after the other")
  .description("how far a stack's host is, looked at now; changes nothing, takes no lock")
  .option("-w, --watch", "show it live until the node is synced, then ring the bell; several stacks until Ctrl-C")
  .option("-k, --keep", "with --watch: go on after the sync, until Ctrl-C")
  .addOption(new Option("--json", "as JSON, for programs").conflicts("watch"))
  .addHelpText(
    "after",
    `
Exit code:
  0    the node is synced, on the same evidence on which pulumi up lets it pass, and nothing is amiss; of a stack that
       is retiring: nothing stands in the way of its destroy. \`next\` names your next step, where there is one
  1    not yet: something is to be waited for, or to be mended
  2    could not look: says why, and what to do
       of several stacks the highest
  130  --watch was ended with Ctrl-C`,
  )
  .action(async (stacks: string[], options: { watch?: boolean; keep?: boolean; json?: boolean }) => {
    // Required when needed: the Pulumi SDK behind it takes a second to load, and --help should not.
    const { status } = require("./status") as typeof import("./status");
    process.exitCode = await status(stacks, options);
  });

program
  .command("resume")
  .argument("<stack>", "such as prod")
  .argument("[args...]", "after --: passed on to pulumi up")
  .description("go on with a stack whose `pulumi up` was killed: clears what is stale, then runs pulumi up")
  .option("--lock-is-stale", "clear a lock of which this machine can't tell: the run that holds it must be gone")
  .addHelpText(
    "after",
    `
Says whose lock there is and whether that process lives. A run that lives is left alone.

Example:
  npx pillar-host resume prod -- --yes --skip-preview

Exit code: that of pulumi up; 2 where it was not run: says why, and what to do`,
  )
  .action(async (stack: string, args: string[], options: { lockIsStale?: boolean }) => {
    const { resume } = require("./resume") as typeof import("./resume");
    process.exitCode = await resume(stack, args, options);
  });

program
  .command("report")
  .argument("<stack>", "such as prod")
  .description("tells a stack's migration from its record, also when stack and state are gone; writes JSON and a page")
  .addOption(new Option("--json", "print it as JSON, for programs, and write nothing").conflicts("output"))
  .option("--directory <dir>", "where record.jsonl lies; else as configured, else backups/*")
  .option("--output <dir>", "write report-STACK.json and report-STACK.html there; else beside the record")
  .addHelpText(
    "after",
    `
Exit code:
  0    the report was made
  2    there is no record, or no room: says why, and what to do`,
  )
  .action(async (stack: string, options: { json?: boolean; directory?: string; output?: string }) => {
    const { report } = require("./report") as typeof import("./report");
    process.exitCode = await report(stack, options);
  });

program
  .parseAsync()
  .catch((error: unknown) => {
    // Commander has shown its own; help that was asked for is no error.
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : couldNot;
    else {
      console.error(error instanceof CliRefusal ? error.message : error);
      process.exitCode = couldNot;
    }
  })
  // A connection to a host that went away would keep it from ending.
  .finally(() => process.exit());
