import type { Command } from "commander";

// Each command loads its code on demand: the schema and ssh take half a second to load, and --help should not.

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
docs/orchestrator.md tells how, and how a signer comes back from such a backup.

Exit code:
  0    the backup lies on this machine, and opens
  2    none was made: says why, and what to do`,
    )
    .action(async (stack: string, options: { json?: boolean }) => {
      const { backUpOrchestrator: backup } =
        require("../backup/backUpOrchestrator") as typeof import("../backup/backUpOrchestrator");
      process.exitCode = await backup(stack, options);
    });
}

export function notifyCommand(program: Command): void {
  program
    .command("notify")
    .argument("<stack>", "such as prod")
    .requiredOption("--test", "send a test notice")
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
      const { sendTestNotification: notify } =
        require("../status/testNotification") as typeof import("../status/testNotification");
      process.exitCode = await notify(stack);
    });
}
