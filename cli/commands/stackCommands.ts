import { type Command, Option } from "commander";
import type { InitFlags } from "../init/initFlags";
import { hostProviders } from "../init/stackText";

// Each command loads its code on demand (keepCommands.ts).

export function initCommand(program: Command): void {
  program
    .command("init")
    .argument("[stack]", "such as prod-2")
    .description("make a stack and its file: asks for Pillar, server and login, shows the host key; overwrites nothing")
    .option("--pillar <name>", "the Pillar's name, as registered on chain")
    .addOption(new Option("--provider <name>", "where the new host comes from").choices(hostProviders))
    .addOption(
      new Option("--adopt", "the host is the Pillar's of today: left as it is, and retired later").conflicts(
        "provider",
      ),
    )
    .option("--address <address>", "of a server that is there already")
    .option("--port <port>", "where its ssh listens", "22")
    .option("--user <user>", "who logs in there; another user than root becomes root with sudo")
    .option("--host-key <line>", "its ssh host key, a line as ssh-ed25519 AAAA…")
    .option("--fingerprint <fingerprint>", "of the host key that it has to show, SHA256:…")
    .option("--accept-host-key", "take the host key that it shows, unseen")
    .option("--old-host <address>", "the Pillar's host of today: the first witness of the new node's chain")
    .option("--old-host-key <line>", "its ssh host key")
    .option("--old-fingerprint <fingerprint>", "of the host key that it has to show")
    .option("--reference <url...>", "independent nodes' RPC, further witnesses: two that agree are proof of the height")
    .option("--ssh-from <network...>", "networks that may reach a new cloud server's ssh, such as 192.0.2.1/32")
    .option("--token-file <file>", "file that holds an API token of the cloud provider")
    .addOption(
      new Option("--key-file <file>", "log in with the private key in this file").conflicts(["agent", "password"]),
    )
    .addOption(new Option("--agent", "log in with the ssh agent").conflicts("password"))
    .option("--password", "log in with a password: it is asked for, and kept as a secret of the stack")
    .option("--release <url>", "of the controller; else the one in the example")
    .option("--release-sha256 <hash>", "its hash")
    .addHelpText(
      "after",
      `
What is not given is asked for; where there is no terminal to ask in, what is missing is named.

Example:
  ./pillar-host init prod-2 --pillar Anvil --provider existing --address 203.0.113.7 \\
    --fingerprint SHA256:… --key-file ~/.ssh/id_ed25519 \\
    --old-host 198.51.100.9 --old-fingerprint SHA256:…

Exit code:
  0    stack and file are made
  2    neither was: says why, and what to do
  130  ended with Ctrl-C`,
    )
    .action(async (stack: string | undefined, options: InitFlags) => {
      const { init } = require("../init/init") as typeof import("../init/init");
      process.exitCode = await init(stack, options);
    });
}

export function adoptCommand(program: Command): void {
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
    .addHelpText(
      "after",
      "\nExit code: that of pulumi up; 2 if pulumi up was not run (the output says why, and what to do)",
    )
    .action(
      async (stack: string, address: string, args: string[], options: import("../edit/adoptHost").AdoptOptions) => {
        const { adoptHost: adopt } = require("../edit/adoptHost") as typeof import("../edit/adoptHost");
        process.exitCode = await adopt(stack, address, args, options);
      },
    );
}

export function moveCommand(program: Command): void {
  program
    .command("move")
    .argument("<stack>", "the new host's, such as prod-2")
    .argument("[args...]", "after --: passed on to pulumi up")
    .requiredOption(
      "--from <stack>",
      "the stack of the host that the signer is on now; its outputs have address and key",
    )
    .option("--release <url>", "the orchestrator's release for the new host; else the one that is configured")
    .option(
      "--release-sha256 <hash>",
      "its hash, from the release's page; needed where none is configured for that address",
    )
    .option("--release-version <version>", "its version; else the one that is configured, or that its address names")
    .option("--first-move", "no move of this signer ever began: asked for where the record knows of none")
    .option("--no-up", "write the stack's file, and print the command instead of running it")
    .description("says where the signer comes from, and moves it: checks both hosts before anything is touched")
    .addHelpText(
      "after",
      "\nExit code: that of pulumi up; 2 if pulumi up was not run (the output says why, and what to do)",
    )
    .action(async (stack: string, args: string[], options: import("../edit/moveOrchestrator").MoveOptions) => {
      const { moveOrchestrator: moveFrom } =
        require("../edit/moveOrchestrator") as typeof import("../edit/moveOrchestrator");
      process.exitCode = await moveFrom(stack, args, options);
    });
}

export function retireCommand(program: Command): void {
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
    .addHelpText(
      "after",
      "\nExit code: that of pulumi up; 2 if pulumi up was not run (the output says why, and what to do)",
    )
    .action(async (stack: string, args: string[], options: import("../edit/retireHost").RetireOptions) => {
      const { retireHost: retire } = require("../edit/retireHost") as typeof import("../edit/retireHost");
      process.exitCode = await retire(stack, args, options);
    });
}

export function resumeCommand(program: Command): void {
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

Exit code: that of pulumi up; 2 if pulumi up was not run (the output says why, and what to do)`,
    )
    .action(async (stack: string, args: string[], options: { lockIsStale?: boolean }) => {
      const { resume } = require("../resume") as typeof import("../resume");
      process.exitCode = await resume(stack, args, options.lockIsStale === true);
    });
}
