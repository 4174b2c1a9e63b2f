import { type Command, Option } from "commander";

// Commands that only read. Each loads its code on demand (keepCommands.ts).

export function statusCommand(program: Command): void {
  program
    .command("status")
    .argument("[stack...]", "such as prod; several are shown one after the other")
    .description("how far a stack's host is, looked at now; changes nothing, takes no lock")
    .option("-w, --watch", "show it live until the node is synced, then ring the bell; several stacks until Ctrl-C")
    .option("-k, --keep", "with --watch: go on after the sync, until Ctrl-C")
    .addOption(new Option("--json", "as JSON, for programs").conflicts("watch"))
    .addOption(
      new Option("-a, --all", "every stack of the backend, a line each, first what needs somebody").conflicts([
        ...["watch", "keep"],
      ]),
    )
    .option(
      "-n, --notify",
      "with --all: tell each stack's webhook what is amiss, once when it appears and once when it is over",
    )
    .addHelpText(
      "after",
      `
Exit code:
  0    the node is synced, on the same evidence on which pulumi up lets it pass, and nothing is amiss; of a stack that
       is retiring: nothing stands in the way of its destroy. \`next\` names your next step, where there is one
  1    not yet: something is to be waited for, or to be fixed
  2    could not look, or with --notify not tell: says why, and what to do
       of several stacks the highest
  130  --watch was ended with Ctrl-C`,
    )
    .action(
      async (
        stacks: string[],
        options: import("../status/status").StatusOptions & { all?: boolean },
        command: Command,
      ) => {
        if ((stacks.length === 0) !== (options.all === true))
          command.error(options.all ? "error: --all or stacks, not both" : "error: name a stack, or --all");
        if (options.notify && !options.all) command.error("error: --notify goes with --all");
        const { status, statusOfAllStacks: statusOfAll } =
          require("../status/status") as typeof import("../status/status");
        process.exitCode = await (options.all ? statusOfAll(options) : status(stacks, options));
      },
    );
}

export function nextCommand(program: Command): void {
  program
    .command("next")
    .argument("<stack>", "such as prod")
    .description("print the next step as plain text: what the last pulumi up said, or how to continue")
    .option("--json", "as JSON, for programs")
    .addHelpText(
      "after",
      `
A producer address is shown only where pulumi up would show it: while the node is synced, which is looked at now.

Exit code:
  0    it is told
  2    stack or configuration can't be read: says why, and what to do`,
    )
    .action(async (stack: string, options: { json?: boolean }) => {
      const { next } = require("../next/next") as typeof import("../next/next");
      process.exitCode = await next(stack, options);
    });
}

export function checkCommand(program: Command): void {
  program
    .command("check")
    .argument("<stack>", "such as prod")
    .description(
      "asks all that pulumi up asks before it changes anything, and rehearses the signer's move; writes nothing",
    )
    .option("--json", "as JSON, for programs")
    .addHelpText(
      "after",
      `
Asks both hosts over ssh, the references, the release addresses, the provider, and this machine. The rehearsal reads the
orchestrator's directory once, to measure the rate, and says how long the bridge will be without this signer.

Exit code:
  0    nothing stands in the way; what can't be asked yet is told as "later"
  1    something does: what is wrong, what was found, what is needed
  2    could not begin: stack or configuration can't be read`,
    )
    .action(async (stack: string, options: { json?: boolean }) => {
      const { check } = require("../check/check") as typeof import("../check/check");
      process.exitCode = await check(stack, options);
    });
}

export function reportCommand(program: Command): void {
  program
    .command("report")
    .argument("<stack>", "such as prod")
    .description(
      "tells a stack's migration from its record, also when stack and state are gone; writes JSON and a page",
    )
    .addOption(new Option("--json", "print it as JSON, for programs, and write nothing").conflicts("output"))
    .option(
      "--directory <dir>",
      "where record.jsonl lies, or s3://BUCKET…#PILLAR; else as configured, else any that names the stack",
    )
    .option("--output <dir>", "write report-STACK.json and report-STACK.html there; else beside the record")
    .addHelpText(
      "after",
      `
Exit code:
  0    the report was made
  2    there is no record, or no room: says why, and what to do`,
    )
    .action(async (stack: string, options: { json?: boolean; directory?: string; output?: string }) => {
      const { report } = require("../report/report") as typeof import("../report/report");
      process.exitCode = await report(stack, options);
    });
}
