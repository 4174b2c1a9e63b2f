import type { Command } from "commander";

// Commands that keep what a stack needs: backups, notices, a place for its records. What does
// the work is required when needed: the schema and the ssh behind it take half a second to load, and --help should not.

export function backupCommand(program: Command): void {
  program
    .command("backup")
    .argument("<stack>", "such as prod-2")
    .description(
      "backs the signer up, wherever it runs now: encrypted, proved by reading it back; it signs on meanwhile",
    )
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
      const { backup } = require("../backup") as typeof import("../backup");
      process.exitCode = await backup(stack, options);
    });
}

export function notifyCommand(program: Command): void {
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
      const { notify } = require("../notify") as typeof import("../notify");
      process.exitCode = await notify(stack);
    });
}

export function storeCommand(program: Command): void {
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
      const { moveStore } = require("../moveStore") as typeof import("../moveStore");
      process.exitCode = await moveStore(stack, address);
    });
}
