import { InvalidArgumentError, Option } from "commander";
import { ToolCommand } from "./toolCommand.ts";

// Commands that change no stack.

const jsonOption = ["--json", "print JSON, for programs"] as const;

const parseMetricsFile = (file: string): string => {
  if (file.endsWith(".prom")) return file;
  throw new InvalidArgumentError("node_exporter reads only files whose name ends in .prom.");
};

export const readCommands = [
  new ToolCommand("status")
    .argument("[stack]", "such as prod-1; without one: every stack, as with --all")
    .description("show how far a stack's host is; asks the host now, changes nothing, takes no lock")
    .option("-w, --watch", "show the status live until the node is synced, then ring the bell")
    .option("-k, --keep", "with --watch: continue after the sync, until Ctrl-C")
    .addOption(new Option(...jsonOption).conflicts("watch"))
    .addOption(
      new Option("-a, --all", "show every stack of the backend, one a line, the most urgent first").conflicts([
        "watch",
        "keep",
      ]),
    )
    .addOption(
      new Option(
        "-n, --notify",
        "with --all: send each stack's new alerts to its webhook, the end of each, and once a day those that last",
      ).implies({ all: true }),
    )
    .option("--mute", "stop the daily reminders of the stack's present alerts until they are over; --unmute undoes it")
    .option("--unmute", "be reminded of them again")
    .addOption(
      new Option(
        "-m, --metrics <file>",
        "with --all: write the file for the textfile collector of Prometheus' node_exporter (docs/metrics.md)",
      )
        .argParser(parseMetricsFile)
        .implies({ all: true }),
    )
    .explain(`
Exit code:
  0    the node is synced, on the same evidence on which pulumi up continues, and there is no alert; for a stack that is
       retiring: nothing prevents its destroy. \`next\` prints your next step, if there is one
  1    not yet: wait, or fix what the output names
  2    the status could not be read, or the alerts of --notify not be sent, or the file of --metrics not be written:
       the output says why, and what to do
       with --all the highest code counts
  130  --watch was ended with Ctrl-C`)
    .load(async () => (await import("../status/status.ts")).status),
  new ToolCommand("next")
    .argument("<stack>", "such as prod-1")
    .description("print the next step as plain text: that of the last pulumi up, or how to continue")
    .option(...jsonOption)
    .explain(`
Prints a producer address only if pulumi up would print it: if the node is synced, which this command checks now.

Exit code:
  0    the next step is printed
  2    stack or configuration can't be read: the output says why, and what to do`)
    .load(async () => (await import("../next/next.ts")).next),
  new ToolCommand("check")
    .argument("<stack>", "such as prod-1")
    .description("check all that pulumi up checks before it changes anything, and rehearse the orchestrator's move")
    .option(...jsonOption)
    .explain(`
Asks both hosts over ssh, the references, the release addresses, the provider, and this machine; writes nothing. The
rehearsal reads the orchestrator's directory once, to measure the rate, and estimates how long the bridge will be without
this orchestrator.

Exit code:
  0    nothing prevents an up; "later" marks what can't be checked yet
  1    something prevents it: the output says what is wrong, what was found, what is needed
  2    the check could not begin: stack or configuration can't be read`)
    .load(async () => (await import("../check/check.ts")).check),
  new ToolCommand("backup")
    .argument("<stack>", "such as prod-2")
    .description("back up the orchestrator where it runs now, encrypted, and prove the backup; stops nothing")
    .option(...jsonOption)
    .explain(`
Make a backup after each key generation of the bridge, with a timer if you like: until then there is only one copy of the
newest key share. docs/orchestrator.md describes this, and how to restore an orchestrator from such a backup.

Exit code:
  0    the backup is on this machine, and was decrypted and compared
  2    no backup was made: the output says why, and what to do`)
    .load(async () => (await import("../backup/backUpOrchestrator.ts")).backUpOrchestrator),
  new ToolCommand("notify")
    .argument("<stack>", "such as prod-1")
    .requiredOption("--test", "send a test notification")
    .description("try the webhook in pillar-host:notify")
    .explain(`
Exit code:
  0    the webhook accepted the notification
  2    it did not, or none is configured: the output says why`)
    .load(async () => (await import("../status/testNotification.ts")).sendTestNotification),
  new ToolCommand("report")
    .argument("<stack>", "such as prod-1")
    .description("report a stack's migration: what happened when, what was missed; from its event log and the chain")
    .option(...jsonOption)
    .option("--html <file>", "also write the report as a page that can be sent to somebody")
    .option(
      "--directory <dir>",
      "the event log's place (a directory or s3://BUCKET…#PILLAR), for a stack that is gone; default: the configured place",
    )
    .explain(`
The last lines are the verdict: own slots missed, and the time without an orchestrator. Momentums are read from this host's
node, else from a reference; nothing is changed.

Exit code:
  0    the report is printed
  2    no event log names the stack: the output says why, and what to do`)
    .load(async () => (await import("../report/report.ts")).report),
  new ToolCommand("support")
    .argument("[stack]", "such as prod-2; without one: every stack")
    .description("write versions, configuration, status, check, report and logs into a text file, without secrets")
    .option("-o, --output <file>", "the file; default: support-TIME.txt in this directory")
    .explain(`
Changes nothing. What can't be read, such as a host that is off, is in the file as its error. Read the file before you
send it: it names hosts, users and your Pillar.

Exit code:
  0    the file is written
  2    it is not: the output says why`)
    .load(async () => (await import("../support/support.ts")).support),
];
