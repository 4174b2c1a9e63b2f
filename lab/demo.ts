import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ensureBaseImage } from "./baseImage";
import { Lab } from "./lab";
import { elapsed, step } from "./progress";
import { ensureRequirements } from "./requirements";
import { LabStack } from "./stack";
import { type StageTime, stageTimes } from "./stageTimes";
import { ensureToolchain } from "./toolchain";

/** What each stage of procedure A is, by the name of its resource. */
const stages: Readonly<Record<string, string>> = {
  "node-preflight": "checked the host against the minimums",
  "node-prepare": "made it this stack's own, reserved the node's ports",
  "node-packages": "updated packages, installed unzip and wget",
  "node-controller": "downloaded and installed the controller",
  "node-hourly-restart": "set the hourly restart, for the time of the sync",
  "node-deploy": "deployed the node with the controller's own menu",
  "node-sync": "waited until the node was provably synced",
  "node-hourly-restart-off": "turned the hourly restart off, and read it back",
  "node-producer-address": "read the producer address",
};

/** `npm run demo`: a blank host on this machine, and a real `pulumi up` against it, in view. */
async function main(): Promise<number> {
  const started = Date.now();
  await ensureRequirements();
  const toolchain = await ensureToolchain();
  await ensureBaseImage();
  const stack = await step("making the lab: one blank Debian 11 host", async () => {
    const lab = await Lab.create("demo");
    // A sync of some twenty seconds, so that there is something to watch.
    await lab.chain("PATCH", "/truth", { height: 2600, defaults: { rate: 120, behind: 2500 } });
    return makeStack(lab);
  });

  console.log(`\nThe stack's configuration, ${stack.configFile}:\n`);
  console.log(
    (await readFile(stack.configFile, "utf8"))
      .replace(/(secure: .{12}).*/g, "$1…")
      .trim()
      .replace(/^/gm, "    "),
  );
  console.log(`\n    $ pulumi up    (${toolchain.source})\n`);
  const ready = Date.now();
  const events = join(stack.dir, "events.json");
  const plain = process.stdout.isTTY ? [] : ["--non-interactive"];
  const result = await stack.run(["up", "--yes", "--skip-preview", "--event-log", events, ...plain], {
    stdio: "inherit",
    reject: false,
    // The engine keeps its event log behind this.
    env: { ...stack.env, PULUMI_DEBUG_COMMANDS: "true" },
  });
  if (result.exitCode !== 0) {
    console.log("\nThe demo failed: what went wrong stands above. Look at the host: npm run lab -- ssh host1");
    return 1;
  }
  await tell(stack, stageTimes(await readFile(events, "utf8")), { setUp: ready - started, up: Date.now() - ready });
  return 0;
}

async function makeStack(lab: Lab): Promise<LabStack> {
  const host = await lab.addHost("host1");
  const config = {
    pillar: { name: "Anvil" },
    // This machine may have two cores; a real Pillar keeps the specification's four.
    host: { provider: "existing", address: host.address, hostKey: host.hostKey, minimums: { cores: 1, diskGb: 5 } },
    controller: { releaseUrl: lab.releaseUrl() },
  };
  return LabStack.create(lab, "demo", config, { "ssh.privateKey": await readFile(lab.privateKeyFile, "utf8") });
}

async function tell(stack: LabStack, times: readonly StageTime[], total: { setUp: number; up: number }): Promise<void> {
  const { producerAddress, nextStep } = await stack.outputs<{ producerAddress: string; nextStep: string[] }>();
  console.log("\nWhat it did:");
  for (const { name, milliseconds } of times) {
    if (stages[name]) console.log(`  ${elapsed(milliseconds).padStart(12)}  ${stages[name]}`);
  }
  console.log(`  ${elapsed(total.up).padStart(12)}  in all (after ${elapsed(total.setUp)} of setting up the lab)`);
  console.log(`\nProducer address: ${producerAddress}\n\nnextStep:\n${nextStep.map((line) => `  ${line}`).join("\n")}`);
  console.log(`
Look at the host:
  npm run lab -- ssh host1                            a root shell; systemctl and journalctl work
  npm run lab -- ssh host1 systemctl status go-node
  npm run lab -- ssh host1 crontab -l                 the hourly restart, commented out
  npm run lab -- ssh host1 ls /var/log/pillar-host    the transcript of the deploy, without secrets

Take it down:
  npm run lab -- down`);
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  return 1;
});
