import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { ensureBaseImage } from "../baseImage";
import type { ChainTruth } from "../doubles/chain";
import { Lab } from "../lab";
import { ensurePackagedImage } from "../packagedImage";
import { step } from "../progress";
import { ensureRequirements } from "../requirements";
import { ensureToolchain } from "../toolchain";
import { collectRewards, updateProducer } from "../wallet";
import { orderOldServer } from "./oldServer";
import { Scenes } from "./scenes";
import { hurry, makeStacks, pillar, type Stacks } from "./stacks";
import { verdict } from "./verdict";

/** `npm run demo`: the whole journey of a Pillar and its signer, from the old host to its deletion, in view. */
async function main(): Promise<number> {
  await ensureRequirements();
  const toolchain = await ensureToolchain({ plugins: ["command", "hcloud"] });
  await ensureBaseImage();
  await ensurePackagedImage();
  const { lab, stacks, address } = await step(
    "making the lab: an old server that produces and signs, and a new machine",
    setUp,
  );
  console.log(`\nThe new host's configuration, ${stacks.fresh.configFile}:\n`);
  console.log(
    (await readFile(stacks.fresh.configFile, "utf8"))
      .replace(/(secure: .{12}).*/g, "$1…")
      .trim()
      .replace(/^/gm, "    "),
  );
  console.log(`\nPulumi: ${toolchain.source}. Time goes fast here: ${hurry.epochSeconds} s for an epoch of a day.`);

  const scenes = new Scenes();
  await journey(scenes, lab, stacks, address);
  console.log("\nWhat was played:");
  for (const line of scenes.summary()) console.log(line);
  const report = await stacks.fresh.cli(["report", "prod-2", "--directory", `${lab.dir}/backups`]);
  console.log(`\n    $ npx pillar-host report prod-2\n\n${report.replace(/^/gm, "    ")}`);
  const { isGood, lines } = await verdict(lab);
  console.log(`\nThe chain's own verdict:\n${lines.join("\n")}`);
  console.log(`
Look around:
  npm run lab -- ssh host1                            a root shell on the new host; systemctl and journalctl work
  npm run lab -- ssh host1 systemctl status go-node
  npm run lab -- ssh host1 ls /var/log/pillar-host    the transcript of the deploy, without secrets

Take it down:
  npm run lab -- down`);
  return isGood ? 0 : 1;
}

async function setUp(): Promise<{ lab: Lab; stacks: Stacks; address: string }> {
  const lab = await Lab.create("demo");
  // A sync of some fifteen seconds, so that there is something to watch.
  await lab.chain("PATCH", "/truth", { ...hurry, height: 2600, defaults: { rate: 160, behind: 2400 } });
  const server = await orderOldServer(lab);
  await lab.chain("PATCH", `/pillars/${pillar}`, { producerAddress: server.producer.address });
  const host = await lab.addHost("host1", ensurePackagedImage);
  return { lab, stacks: await makeStacks(lab, server, host), address: host.address };
}

async function journey(scenes: Scenes, lab: Lab, { old, fresh, ...configure }: Stacks, address: string): Promise<void> {
  await scenes.pulumi("The old host becomes a stack, and nothing on it changes", old, "up");
  await scenes.pulumi("The new host: checked, deployed, synced", fresh, "up");
  await scenes.pulumi("The signer moves over, with you beside it", fresh, "up");
  const { producerAddress, host } = await fresh.outputs<{ producerAddress: string; host: { hostKey: string } }>();
  await scenes.wallet(
    "The new producer address, in the wallet",
    `Update Pillar, ${producerAddress}, Next, Update`,
    () => updateProducer(lab, pillar, producerAddress),
  );
  await configure.configureFresh({ cutover: { wait: true } });
  await scenes.pulumi("The new host takes over: until momentums carry its address", fresh, "up");
  const retirement = { successor: { address, hostKey: host.hostKey } };
  await configure.configureOld({ lifecycle: "retiring", retirement });
  await scenes.pulumi("The old host's node is shut down", old, "up");
  await scenes.pulumi("Too early: the rewards have not come", old, "destroy", { refused: true });
  const { pillars } = await lab.chain<ChainTruth>("GET", "/truth");
  const rewards = pillars.find(({ name }) => name === pillar)?.withdrawAddress ?? "";
  await scenes.wallet("The rewards, in the wallet (a day later)", "Collect", async () => {
    await untilPaid(lab);
    await collectRewards(lab, rewards);
  });
  await scenes.pulumi("The old host is deleted", old, "destroy");
}

/** Until the first epoch that the new host began has been paid. */
async function untilPaid(lab: Lab): Promise<void> {
  const { epoch } = await lab.chain<ChainTruth>("GET", "/truth");
  const deadline = Date.now() + 5 * hurry.epochSeconds * 1000;
  while ((await lab.chain<ChainTruth>("GET", "/truth")).distributedEpoch <= epoch && Date.now() < deadline)
    await sleep(500);
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  return 1;
});
