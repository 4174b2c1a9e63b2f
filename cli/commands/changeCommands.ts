import { InvalidArgumentError, Option } from "commander";
import { hostProviders } from "../init/stackText.ts";
import { ToolCommand, upExitCode } from "./toolCommand.ts";

// Commands that make or change a stack.

const parseMoveNumber = (text: string): number => {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give the number that restore has printed.");
};

export const changeCommands = [
  new ToolCommand("init")
    .argument("[stack]", "such as prod-2")
    .description("make a stack and its file: asks for Pillar, host and login, shows the host key; overwrites nothing")
    .option("--pillar <name>", "the Pillar's name, as registered on chain")
    .addOption(new Option("--provider <name>", "where the new host comes from").choices(hostProviders))
    .addOption(
      new Option("--adopt", "adopt the Pillar's present host without a change").conflicts(["provider", "nodeRelease"]),
    )
    .option("--address <address>", "the address of an existing server, or its name in ~/.ssh/config; user@ before it")
    .option("--port <port>", "the port of that server's ssh; default: that in ~/.ssh/config, else 22")
    .option("--user <user>", "the user to log in as; a user other than root becomes root with sudo")
    .option("--host-key <line>", "the server's ssh host key, a line such as ssh-ed25519 AAAA…")
    .option("--fingerprint <fingerprint>", "the fingerprint that the server's key must have, SHA256:…")
    .option("--accept-host-key", "accept the key that the server shows, without a comparison")
    .option(
      "--old-host <address>",
      "the Pillar's present host, as in --address: the first witness of the new node's chain",
    )
    .option("--old-host-key <line>", "the old host's ssh host key")
    .option("--old-fingerprint <fingerprint>", "the fingerprint that the old host's key must have")
    .option("--reference <url...>", "RPCs of independent nodes, further witnesses: two that agree prove the height")
    .option("--copy-chain", "copy the old host's chain, in place of a sync of hours or days; needs a reference")
    .option("--ssh-from <network...>", "networks that may connect to a new cloud server's ssh, such as 192.0.2.1/32")
    .option("--token-file <file>", "a file with an API token of the cloud provider")
    .addOption(
      new Option("--key-file <file>", "log in with the private key in this file").conflicts(["agent", "password"]),
    )
    .addOption(new Option("--agent", "log in with the ssh agent").conflicts("password"))
    .option("--password", "log in with a password: init asks for it, and keeps it as a secret of the stack")
    .option("--release <url>", "the controller's release; default: that of the example file")
    .option("--release-sha256 <hash>", "the hash of the controller's release")
    .option("--node-release <url>", "the node's release, if the network requires a newer one than is built")
    .option("--node-release-sha256 <hash>", "its hash, from the release page")
    .option("--node-release-version <version>", "its version; default: that in the address")
    .option(
      "--no-node-release",
      "keep the node that the controller builds: pulumi up refuses to sync one that is too old",
    )
    .explain(`
Asks for every answer that no option gives. Without a terminal to ask in, it names the missing option.

Example:
  ./pillar-host init prod-2 --pillar Anvil --provider existing --address 203.0.113.7 \\
    --fingerprint SHA256:… --key-file ~/.ssh/id_ed25519 \\
    --old-host 198.51.100.9 --old-fingerprint SHA256:… \\
    --node-release https://… --node-release-sha256 …

Exit code:
  0    stack and file are made
  2    neither was made: the output says why, and what to do
  130  ended with Ctrl-C`)
    .load(async () => (await import("../init/init.ts")).init),
  new ToolCommand("migrate")
    .movesOrchestrator()
    .argument("<old>", "the stack of the Pillar's present host, such as prod-1; made if it is missing")
    .argument("<new>", "the new host's stack, such as prod-2; made if it is missing")
    .option(
      "--yes",
      "agree in advance to what can be undone and is free; migrate still asks before an order, move, shutdown and destroy",
    )
    .description("run each step that `next` prints, from init to destroy; wait for you where the wallet is needed")
    .explain(`
It stores nothing: after a kill at any moment, the same command continues.

Exit code: 0 if the old host's stack is destroyed; 2 if migrate can't continue (the output says why, and what to do);
else that of the command that failed`)
    .load(async () => (await import("../migrate.ts")).migrate),
  new ToolCommand("adopt")
    .argument("<stack>", "the name of the new stack, such as prod-1")
    .argument("<address>", "the old host, set up without this program: user@, address or name in ~/.ssh/config")
    .requiredOption("--like <stack>", "a stack of the same Pillar: its login, references and other settings are copied")
    .option(
      "--host-key <key>",
      "the ssh host key; default: that in the other stack's oldHost, else adopt shows it and asks",
    )
    .description("make a stack for an old host, and adopt the host: changes nothing on it")
    .endsInUp()
    .load(async () => (await import("../edit/adoptHost.ts")).adoptHost),
  new ToolCommand("move")
    .argument("<stack>", "the stack of the new host, such as prod-2")
    .requiredOption("--from <stack>", "the stack of the orchestrator's present host; gives the host's address and key")
    .description("record where the orchestrator runs, and move it from there: checks both hosts before any change")
    .movesOrchestrator()
    .endsInUp()
    .load(async () => (await import("../edit/moveOrchestrator.ts")).moveOrchestrator),
  new ToolCommand("restore")
    .argument("<stack>", "the stack of the host that gets the orchestrator, such as prod-3")
    .option("--backup <file>", "the backup; default: a killed restore's, else the newest in the event log that fits")
    .option("--from <stack>", "the stack of the lost host; default: the host in oldHost is lost")
    .option("--fenced <sentence>", "the sentence that restore asks for if no cloud provider can switch the host off")
    .option("--yes", "let the program switch the lost host's server off without a question")
    .option(
      "--later-than-move <number>",
      "confirm that the lost host has the orchestrator although the event log, whose last move has this number, does not say so",
      parseMoveNumber,
    )
    .description("start a lost host's orchestrator from a backup, once the lost host is off for good")
    .movesOrchestrator()
    .endsInUp()
    .load(async () => (await import("../restore/restoreOrchestrator.ts")).restoreOrchestrator),
  new ToolCommand("retire")
    .argument("<stack>", "the stack of the old host, such as prod-1")
    .requiredOption(
      "--successor <stack>",
      "the stack of the host that produces afterwards; gives that host's address and key",
    )
    .description("name an old host's successor, and shut the old node down; refuses while it is still needed")
    .endsInUp()
    .load(async () => (await import("../edit/retireHost.ts")).retireHost),
  new ToolCommand("resume")
    .argument("<stack>", "such as prod-1")
    .argument("[args...]", "after --: passed on to pulumi up")
    .description("continue a stack after `pulumi up` was killed: clears stale locks, then runs pulumi up")
    .option("--lock-is-stale", "clear a lock of another machine; only if you know that its run has ended")
    .explain(`
Reports who holds the lock, and whether that process is alive. A running process is left alone.

Example:
  ./pillar-host resume prod-1 -- --yes --skip-preview

${upExitCode}`)
    .load(async () => (await import("../resume.ts")).resume),
];
