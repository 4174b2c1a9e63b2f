import { Command, CommanderError, Option } from "commander";
import type { InitFlags } from "./init/flags";
import { hostProviders } from "./init/stackText";
import { couldNot, faultShown } from "./refusal";

const { version } = require("../package.json") as typeof import("../package.json");

const program = new Command("pillar-host")
  .description("The operator's tool beside Pulumi. Run it where `pulumi up` runs: in the program's directory.")
  .version(version, "-V, --version", "print the program's version")
  .exitOverride()
  .showHelpAfterError("(--help tells more)");

program
  .command("init")
  .argument("[stack]", "such as prod-2")
  .description("make a stack and its file: asks for Pillar, server and login, shows the host key; overwrites nothing")
  .option("--pillar <name>", "the Pillar's name, as registered on chain")
  .addOption(new Option("--provider <name>", "where the new host comes from").choices(hostProviders))
  .addOption(
    new Option("--adopt", "the host is the Pillar's of today: left as it is, and retired later").conflicts("provider"),
  )
  .option("--address <address>", "of a server that is there already")
  .option("--port <port>", "where its ssh listens", "22")
  .option("--user <user>", "who logs in there; another one than root becomes root with sudo")
  .option("--host-key <line>", "its ssh host key, a line as ssh-ed25519 AAAA…")
  .option("--fingerprint <fingerprint>", "of the host key that it has to show, SHA256:…")
  .option("--accept-host-key", "take the host key that it shows, unseen")
  .option("--ssh-from <network...>", "networks that may reach a new cloud server's ssh, such as 192.0.2.1/32")
  .option("--token-file <file>", "with an API token of the cloud provider")
  .addOption(new Option("--key-file <file>", "log in with the private key in this file").conflicts("agent"))
  .option("--agent", "log in with the ssh agent")
  .option("--release <url>", "of the controller; else the one in the example")
  .option("--release-sha256 <hash>", "its hash")
  .addHelpText(
    "after",
    `
What is not given is asked for; where there is no terminal to ask in, what is missing is named.

Example:
  ./pillar-host init prod-2 --pillar Anvil --provider existing --address 203.0.113.7 \\
    --fingerprint SHA256:… --key-file ~/.ssh/id_ed25519

Exit code:
  0    stack and file are made
  2    neither was: says why, and what to do
  130  ended with Ctrl-C`,
  )
  .action(async (stack: string | undefined, options: InitFlags) => {
    const { init } = require("./init/init") as typeof import("./init/init");
    process.exitCode = await init(stack, options);
  });

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
  .action(async (stacks: string[], options: import("./status").StatusOptions & { all?: boolean }, command: Command) => {
    if ((stacks.length === 0) !== (options.all === true))
      command.error(options.all ? "error: --all or stacks, not both" : "error: name a stack, or --all");
    if (options.notify && !options.all) command.error("error: --notify goes with --all");
    // Required when needed: the Pulumi SDK behind it takes a second to load, and --help should not.
    const { status, statusOfAll } = require("./status") as typeof import("./status");
    process.exitCode = await (options.all ? statusOfAll(options) : status(stacks, options));
  });

program
  .command("next")
  .argument("<stack>", "such as prod")
  .description("the next step, in plain lines, one thing first: what the last pulumi up said, or how to go on")
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
    const { next } = require("./next") as typeof import("./next");
    process.exitCode = await next(stack, options);
  });

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
    const { check } = require("./check/check") as typeof import("./check/check");
    process.exitCode = await check(stack, options);
  });

program
  .command("backup")
  .argument("<stack>", "such as prod-2")
  .description("backs the signer up, wherever it runs now: encrypted, proved by reading it back; it signs on meanwhile")
  .option("--json", "as JSON, for programs")
  .addHelpText(
    "after",
    `
Make one after each key generation of the bridge, by a timer if you like: until then the newest key share exists once.
docs/restore.md tells how, and how a signer comes back from such a backup.

Exit code:
  0    the backup lies on this machine, and opens
  2    none was made: says why, and what to do`,
  )
  .action(async (stack: string, options: { json?: boolean }) => {
    const { backup } = require("./backup") as typeof import("./backup");
    process.exitCode = await backup(stack, options);
  });

program
  .command("adopt")
  .argument("<stack>", "the name of the new stack, such as prod")
  .argument("<address>", "of the host that somebody else set up")
  .argument("[args...]", "after --: passed on to pulumi up")
  .requiredOption("--like <stack>", "the stack of the same Pillar whose login, references and names it gets")
  .option(
    "--host-key <key>",
    "the host's key; else the one that the other stack's orchestrator.migrateFrom has, else it is shown and asked for",
  )
  .option("--no-up", "write the stack's file, and print the command instead of running it")
  .description("makes a stack of an old host, and adopts it: nothing on it is changed")
  .addHelpText("after", "\nExit code: that of pulumi up; 2 where it was not run: says why, and what to do")
  .action(async (stack: string, address: string, args: string[], options: import("./adopt").AdoptOptions) => {
    const { adopt } = require("./adopt") as typeof import("./adopt");
    process.exitCode = await adopt(stack, address, args, options);
  });

program
  .command("move")
  .argument("<stack>", "the new host's, such as prod-2")
  .argument("[args...]", "after --: passed on to pulumi up")
  .requiredOption("--from <stack>", "the stack of the host that the signer is on now; its outputs have address and key")
  .option("--release <url>", "the orchestrator's release for the new host; else the one that is configured")
  .option("--release-sha256 <hash>", "its hash, from the release's page")
  .option("--release-version <version>", "its version; else the one that its address names")
  .option("--no-up", "write the stack's file, and print the command instead of running it")
  .description("says where the signer comes from, and moves it: checks both hosts before anything is touched")
  .addHelpText("after", "\nExit code: that of pulumi up; 2 where it was not run: says why, and what to do")
  .action(async (stack: string, args: string[], options: import("./move").MoveOptions) => {
    const { moveFrom } = require("./move") as typeof import("./move");
    process.exitCode = await moveFrom(stack, args, options);
  });

program
  .command("retire")
  .argument("<stack>", "the old host's, such as prod")
  .argument("[args...]", "after --: passed on to pulumi up")
  .requiredOption(
    "--successor <stack>",
    "the stack of the host that produces after it; its outputs have address and key",
  )
  .option("--no-up", "write the stack's file, and print the command instead of running it")
  .description("names a host's successor and shuts its node down; refused while it is still needed")
  .addHelpText("after", "\nExit code: that of pulumi up; 2 where it was not run: says why, and what to do")
  .action(async (stack: string, args: string[], options: import("./retire").RetireOptions) => {
    const { retire } = require("./retire") as typeof import("./retire");
    process.exitCode = await retire(stack, args, options);
  });

program
  .command("notify")
  .argument("<stack>", "such as prod")
  .requiredOption("--test", "send a notice that says that notices come here")
  .description("tries the webhook of pillar-host:notify")
  .addHelpText(
    "after",
    `
Exit code:
  0    the webhook took it
  1    it did not: says why
  2    none is configured, or the configuration can't be read`,
  )
  .action(async (stack: string) => {
    const { notify } = require("./notify") as typeof import("./notify");
    process.exitCode = await notify(stack);
  });

program
  .command("repair")
  .argument("<stack>", "such as prod")
  .description(
    "judges the database of a node that does not come back or stands still, and repairs it where a kill tore it",
  )
  .option("--yes", "do it without asking: where the node runs it is stopped meanwhile, and produces nothing")
  .addHelpText(
    "after",
    `
Looks first. A node that runs is stopped only after you said so: its database can't be judged while it runs. The repair takes
back the one momentum that was half written, adds one file for that, and keeps a copy of what that momentum touches.

Exit code:
  0    the database is sound, or is so again, and a node that was started answers
  1    it is not: says what was found, and what to do; or you did not say yes
  2    could not look: says why, and what to do`,
  )
  .action(async (stack: string, options: { yes?: boolean }) => {
    const { repair } = require("./repair") as typeof import("./repair");
    process.exitCode = await repair(stack, options);
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
  ./pillar-host resume prod -- --yes --skip-preview

Exit code: that of pulumi up; 2 where it was not run: says why, and what to do`,
  )
  .action(async (stack: string, args: string[], options: { lockIsStale?: boolean }) => {
    const { resume } = require("./resume") as typeof import("./resume");
    process.exitCode = await resume(stack, args, options);
  });

program
  .command("store")
  .description("where event log and backups are kept")
  .command("move")
  .argument("<stack>", "such as prod-2; all stacks of its Pillar on this machine go with it")
  .argument("<address>", "of a bucket, such as 's3://BUCKET?region=REGION'")
  .description(
    "brings event log and backups of this machine into a bucket, proves them there, and sets the log here aside",
  )
  .addHelpText(
    "after",
    `
Credentials are found as AWS tools find them. The key that opens the backups stays where it is.

Exit code:
  0    they are there, and the command that names the bucket to each stack is printed
  2    nothing was set aside: says why, and what to do`,
  )
  .action(async (stack: string, address: string) => {
    const { moveStore } = require("./moveStore") as typeof import("./moveStore");
    process.exitCode = await moveStore(stack, address);
  });

program
  .command("report")
  .argument("<stack>", "such as prod")
  .description("tells a stack's migration from its record, also when stack and state are gone; writes JSON and a page")
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
    const { report } = require("./report") as typeof import("./report");
    process.exitCode = await report(stack, options);
  });

/** What is still open after that, milliseconds, ends with the process. */
const openForMilliseconds = 250;

program
  .parseAsync()
  .catch((error: unknown) => {
    // Commander has shown its own; help that was asked for is no error.
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : couldNot;
    else {
      console.error(faultShown(error));
      process.exitCode = couldNot;
    }
  })
  // A connection to a host that went away would keep it from ending. Not at once: an exit waits for V8's own threads, and
  // one of them that waits for a garbage collection by this one, as after much that was read, waits for ever.
  .finally(() => setTimeout(() => process.exit(), openForMilliseconds).unref());
