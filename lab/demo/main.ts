import { readFile } from "node:fs/promises";
import { ensureCloudImage } from "../clouds/room/image.ts";
import { ensureBaseImage } from "../images/baseImage.ts";
import { ensurePackagedImage } from "../images/packagedImage.ts";
import { Lab } from "../lab.ts";
import { awaitPaidEpoch, awaitProduction, collectRewards, updateProducer } from "../operator/wallet.ts";
import { pluginsFor } from "../stack/stack.ts";
import { ensureToolchain } from "../toolchain/index.ts";
import { step } from "../util/progress.ts";
import { ensureRequirements } from "../util/requirements.ts";
import { verdict } from "./judgement.ts";
import { orderOldServer } from "./oldServer.ts";
import { Scenes } from "./scenes.ts";
import { hurry, makeStacks, pillar, type Stacks } from "./stacks.ts";

/**
 * Runs `npm run demo`: the whole journey of a Pillar and its orchestrator, from the old host to its deletion, in view.
 */
async function main(): Promise<number> {
  await ensureRequirements();
  const toolchain = await ensureToolchain({ plugins: pluginsFor("hetzner") });
  await ensureBaseImage();
  await ensurePackagedImage();
  await ensureCloudImage();
  const { lab, stacks, server } = await step(
    "making the lab: an old server that produces and signs, and a new machine",
    setUp,
  );
  console.log(`\nThe new host's configuration, ${stacks.fresh.configFile}:\n`);
  console.log(
    (await readFile(stacks.fresh.configFile, "utf8"))
      .replace(/(secure: .{12}).*/g, "$1…")
      .replace(/^encryptionsalt: .*\n/, "")
      .trim()
      .replace(/^/gm, "    "),
  );
  const { momentumSeconds, tickMomentums, epochSeconds } = hurry;
  console.log(`\nPulumi: ${toolchain.source}.
Time goes fast here: ${momentumSeconds} s for a momentum (10 s), ${tickMomentums * momentumSeconds} s for a tick of the election (5 minutes), ${epochSeconds} s for an epoch (a day).`);

  const scenes = new Scenes();
  const freshAddress = await journey(scenes, lab, stacks);
  console.log("\nWhat was played:");
  for (const line of scenes.summary()) console.log(line);
  const report = await stacks.fresh.cli(["report", "prod-2", "--directory", `${lab.dir}/backups`]);
  console.log(`\n    $ ./pillar-host report prod-2\n\n${report.replace(/^/gm, "    ")}`);
  const { isGood, lines } = await verdict(lab, pillar, { old: server.producer.address, fresh: freshAddress });
  console.log(`\nThe chain's own verdict (the lab's double of it, which asked neither program nor record):`);
  console.log(lines.join("\n"));
  console.log(`
Look around, as root on the new host:
  npm run lab -- ssh host1
  npm run lab -- ssh host1 systemctl status go-node
  npm run lab -- ssh host1 ls /var/log/pillar-host    the transcript of the deploy, without secrets

Take it down:
  npm run lab -- down

To type it all yourself, as an operator, before you touch a server:
  npm run lab -- shell`);
  return isGood ? 0 : 1;
}

async function setUp() {
  const lab = await Lab.create("demo");
  // A sync takes some fifteen seconds, so that there is something to watch.
  await lab.chain("PATCH", "/truth", { ...hurry, height: 2600, defaults: { rate: 160, behind: 2400 } });
  const server = await orderOldServer(lab);
  await lab.chain("PATCH", `/pillars/${pillar}`, { producerAddress: server.producer.address });
  const host = await lab.addHost("host1", ensurePackagedImage);
  return { lab, stacks: await makeStacks(lab, server, host), server };
}

/** Plays the journey. @returns the new host's producer address */
async function journey(scenes: Scenes, lab: Lab, { old, fresh, configureRetirement }: Stacks): Promise<string> {
  await scenes.pulumi("The old host becomes a stack, and nothing on it changes", old, "up");
  await scenes.pulumi("The new host: checked, deployed, synced", fresh, "up");
  await scenes.pulumi("The signer moves over, with you beside it", fresh, "up");
  const { producerAddress } = await fresh.outputs<{ producerAddress: string }>();
  await scenes.wallet(
    "The new producer address, in the wallet",
    `Update Pillar, ${producerAddress}, Next, Update`,
    () => updateProducer(lab, pillar, producerAddress),
  );
  await awaitProduction(lab, producerAddress);
  await scenes.pulumi("The new host takes over: momentums carry its address", fresh, "up");
  await configureRetirement();
  await scenes.pulumi("The old host's node is shut down", old, "up");
  await scenes.pulumi("Too early: the rewards have not come", old, "destroy", { refused: true });
  await scenes.wallet("The rewards, in the wallet (a day later)", "Collect", async () => {
    await awaitPaidEpoch(lab);
    await collectRewards(lab, pillar);
  });
  await scenes.pulumi("The old host is deleted", old, "destroy");
  return producerAddress;
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  return 1;
});
