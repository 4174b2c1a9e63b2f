import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Command, Option } from "commander";
import { type CloudName, cloudNames } from "../clouds/names.ts";
import { Lab } from "../lab.ts";
import { collectRewards, updateProducer } from "../operator/wallet.ts";
import { pillar, preparedPlace, preparePlace } from "../shell/prepare.ts";
import { welcome } from "../shell/texts.ts";
import { ensureToolchain } from "../toolchain/index.ts";
import { step } from "../util/progress.ts";

const labOption = ["-l, --lab <name>", "which lab", "shell"] as const;

/** Adds `shell`, an operator's shell to try README's commands in, and `wallet`, which is typed there. */
export function addShellCommand(program: Command): void {
  program
    .command("shell")
    .description("an operator's shell: an old host that produces, and a blank new one; all else is to be typed")
    .option(...labOption)
    .addOption(new Option("--provider <name>", "the new host is ordered at this cloud's double").choices(cloudNames))
    .action(async ({ lab: name, provider }: { lab: string; provider?: CloudName }) => {
      await ensureToolchain();
      const place =
        (await preparedPlace(name)) ??
        (await step(`making the lab: an old host that produces and signs, and ${theNew(provider)}`, async () =>
          preparePlace(await Lab.create(name), provider),
        ));
      const lab = await Lab.open(name);
      const rc = join(lab.dir, "shell.bashrc");
      await writeFile(rc, "PS1='pillar-host$ '\n");
      console.log(welcome(place));
      const env = { ...withoutSettings(process.env), ...place.env };
      await lab.run(["bash", "--rcfile", rc, "-i"], {
        cwd: place.directory,
        env,
        extendEnv: false,
        stdio: "inherit",
        reject: false,
      });
      console.log(`The hosts stay as they are. Back to them: npm run lab -- shell${again(name)}
Take them down: npm run lab -- down --lab ${name}`);
    });

  const wallet = program.command("wallet").description("the desktop wallet's part, in a shell of the lab");
  wallet
    .command("update <producerAddress>")
    .description(`Update Pillar: ${pillar} gets this producer address`)
    .action(async (address: string) => {
      const { name, producerAddress } = await updateProducer(await openLab(wallet), pillar, address);
      console.log(`${name} is registered with ${producerAddress}`);
    });
  wallet
    .command("collect")
    .description("collect the rewards")
    .action(async () => {
      const lab = await openLab(wallet);
      await collectRewards(lab, pillar);
      console.log("collected: all that was paid until now");
    });
  wallet.option(...labOption);
}

const openLab = (wallet: Command) => Lab.open(wallet.opts<{ lab: string }>().lab);
const again = (name: string) => (name === "shell" ? "" : ` --lab ${name}`);

const theNew = (provider?: CloudName) => (provider ? `a cloud: ${provider}` : "a blank new one");

/** Removes the operator's own settings, as in a fresh terminal: their own stacks must not affect the lab. */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isOwn = (key: string) => /^(PULUMI_|PILLAR_|AWS_|XDG_|SSH_AUTH_SOCK$)/.test(key);
  return Object.fromEntries(Object.entries(env).filter(([key]) => !isOwn(key)));
}
