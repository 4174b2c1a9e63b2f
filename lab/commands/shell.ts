import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import { execa } from "execa";
import type { ChainTruth } from "../doubles/chain";
import { Lab } from "../lab";
import { step } from "../progress";
import { pillar, preparedPlace, preparePlace, type ShellPlace } from "../shell/prepare";
import { ensureToolchain } from "../toolchain";
import { collectRewards, updateProducer } from "../wallet";

const labOption = ["-l, --lab <name>", "which lab", "shell"] as const;

/** Adds `shell`, an operator's shell to try README's commands in, and `wallet`, which is typed there. */
export function addShellCommand(program: Command): void {
  program
    .command("shell")
    .description("an operator's shell: an old host that produces, a blank new one, its stack prepared; all to be typed")
    .option(...labOption)
    .action(async ({ lab: name }: { lab: string }) => {
      await ensureToolchain();
      const place =
        (await preparedPlace(name)) ??
        (await step("making the lab: an old host that produces and signs, and a blank new one", () =>
          preparePlace(name),
        ));
      const lab = await Lab.open(name);
      const rc = join(lab.dir, "shell.bashrc");
      await writeFile(rc, "PS1='pillar-host$ '\n");
      console.log(welcome(place));
      const [command = "", ...args] = lab.atOperator(["bash", "--rcfile", rc, "-i"]);
      await execa(command, args, { cwd: place.directory, env: place.env, stdio: "inherit", reject: false });
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
      const { pillars } = await lab.chain<ChainTruth>("GET", "/truth");
      await collectRewards(lab, pillars.find(({ name }) => name === pillar)?.withdrawAddress ?? "");
      console.log("collected: all that was paid until now");
    });
  wallet.option(...labOption);
}

const openLab = (wallet: Command) => Lab.open(wallet.opts<{ lab: string }>().lab);
const again = (name: string) => (name === "shell" ? "" : ` --lab ${name}`);

function welcome({ hosts }: ShellPlace): string {
  return `
You are an operator now, in a lab of this machine; nothing here reaches a real server.
  ${hosts.old}  the host of today: produces for ${pillar}, and signs for the bridge
  ${hosts.fresh}  the new one, blank
The stack of the new host, prod-2, is made: see Pulumi.prod-2.yaml. The pass phrase is set. An epoch takes 30 s here.

README's steps, to be typed:
  1. pulumi up -s prod-2          ./pillar-host status prod-2    ./pillar-host next prod-2
  2. ./pillar-host adopt prod ${hosts.old} --like prod-2
  3. pulumi up -s prod-2          the orchestrator moves; rehearsed before by ./pillar-host check prod-2
  4. wallet update ADDRESS        the producer address that the run showed; then pulumi up -s prod-2
  5. ./pillar-host retire prod --successor prod-2
  6. wallet collect               a minute later; then pulumi destroy -s prod
To leave: exit
`;
}
