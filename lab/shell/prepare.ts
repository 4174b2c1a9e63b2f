import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { type CloudName, cloudTokens } from "../clouds/names.ts";
import { certificateFile } from "../hosts/labHosts.ts";
import { operatorAddress } from "../hosts/network.ts";
import { ensurePackagedImage } from "../images/packagedImage.ts";
import { Lab } from "../lab.ts";
import { setUpOrchestrator } from "../oldHost/runningOrchestrator.ts";
import { setUpSyncedNode } from "../oldHost/syncedNode.ts";
import { copyProgram, pluginsFor } from "../stack/stack.ts";
import { ensureToolchain } from "../toolchain/index.ts";
import { labExample, type ShellPlace } from "./texts.ts";

/** Name of the Pillar that moves. */
export const pillar = "Anvil";
/** A fast chain: a momentum a second, ticks of twenty, epochs of thirty seconds. */
export const hurry = { momentumSeconds: 1, tickMomentums: 20, epochSeconds: 30, rewardDelaySeconds: 1 };

const checkout = join(import.meta.dirname, "../..");
const placeFile = (lab: Pick<Lab, "dir">) => join(lab.dir, "shell.json");

/** Reads the prepared place; undefined if its preparation did not finish. */
export async function preparedPlace(name: string): Promise<ShellPlace | undefined> {
  if (!Lab.exists(name)) return undefined;
  const text = await readFile(placeFile(await Lab.open(name)), "utf8").catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as ShellPlace);
}

/**
 * Prepares a lab: an old host that produces and signs, a blank new one or a cloud to order it from, two references, and
 * an operator's home with a key. It has no stack yet.
 */
export async function preparePlace(lab: Lab, provider?: CloudName, speed = hurry): Promise<ShellPlace> {
  // A sync takes some fifteen seconds, so that there is something to watch.
  await lab.chain("PATCH", "/truth", { ...speed, height: 2600, defaults: { rate: 160, behind: 2400 } });
  const old = await lab.addHost("old", ensurePackagedImage);
  const fresh = provider === undefined ? await lab.addHost("new", ensurePackagedImage) : undefined;
  if (!fresh) await lab.startClouds();
  const producer = await setUpSyncedNode(lab, old);
  await setUpOrchestrator(lab, old);
  await lab.chain("PATCH", `/pillars/${pillar}`, { producerAddress: producer.address });
  const references = [await lab.addReference("ref1"), await lab.addReference("ref2")];

  const place: ShellPlace = {
    directory: await programFor(lab, references, speed, provider),
    env: await operatorsEnv(lab, provider),
    old: old.address,
    fresh: fresh ? { address: fresh.address } : { provider: provider ?? "hetzner", sshFrom: `${operatorAddress}/32` },
    orchestratorRelease: lab.orchestratorRelease(),
  };
  await writeFile(placeFile(lab), JSON.stringify(place), { mode: 0o600 });
  return place;
}

/** Copies the program, with examples for the lab that `init` makes stacks' files of. @returns its directory */
async function programFor(
  lab: Lab,
  references: readonly string[],
  speed: typeof hurry,
  provider?: CloudName,
): Promise<string> {
  const directory = join(lab.dir, "program");
  await copyProgram(directory);
  // Copies, not links: the changed examples must not be the checkout's, and `init` reads those beside its own code.
  for (const folder of ["cli", "examples"]) {
    await rm(join(directory, folder));
    await cp(join(checkout, folder), join(directory, folder), { recursive: true });
  }
  await cp(join(checkout, "Pulumi.prod.yaml"), join(directory, "Pulumi.prod.yaml"));
  const network = { ...speed, references, releaseUrl: lab.releaseUrl() };
  const endpoints = {
    hetzner: ["hcloud:endpoint", `${lab.cloudUrl("hetzner")}/v1`],
    digitalocean: ["digitalocean:apiEndpoint", lab.cloudUrl("digitalocean")],
  } as const;
  // The example of the program stays as it is: Pulumi.prod.yaml is compared with it.
  const made = ["own-server.yaml", "old-host.yaml", ...(provider ? [`${provider}.yaml`] : [])];
  for (const file of (await readdir(join(directory, "examples"))).filter((each) => made.includes(each))) {
    const path = join(directory, "examples", file);
    const isCloud = provider !== undefined && file === `${provider}.yaml`;
    const example = labExample(
      await readFile(path, "utf8"),
      isCloud ? { ...network, endpoint: endpoints[provider] } : network,
    );
    await writeFile(path, example);
  }
  return directory;
}

/** Makes a home with a key, and logs pulumi in to it; no pass phrase, no stack. */
async function operatorsEnv(lab: Lab, provider?: CloudName): Promise<Record<string, string>> {
  const home = join(lab.dir, "operator");
  await mkdir(join(home, ".ssh"), { recursive: true, mode: 0o700 });
  for (const end of ["", ".pub"]) await cp(`${lab.privateKeyFile}${end}`, join(home, `.ssh/id_ed25519${end}`));
  if (provider) await writeFile(join(home, "token.txt"), `${cloudTokens[provider]}\n`, { mode: 0o600 });
  const toolchain = await ensureToolchain({
    home: join(home, ".pulumi"),
    plugins: pluginsFor(provider ?? "existing"),
  });
  const certificates = { NODE_EXTRA_CA_CERTS: certificateFile(lab.dir) };
  const env = {
    ...toolchain.env,
    ...certificates,
    HOME: home,
    PATH: `${await walletCommand(lab)}:${toolchain.env.PATH}`,
  };
  // "login --local" takes ~ from the system's list of users, which has none for a lab.
  await execa(toolchain.pulumi, ["login", `file://${home}`, "--non-interactive"], { env });
  return env;
}

/** Writes a command that stands for the desktop wallet. @returns its directory */
async function walletCommand(lab: Lab): Promise<string> {
  const directory = join(lab.dir, "bin");
  const file = join(directory, "wallet");
  await mkdir(directory);
  // The shell has its own home, but the lab is in the cache of the user who made it.
  const cache = dirname(dirname(dirname(lab.dir)));
  const line = `XDG_CACHE_HOME='${cache}' exec '${checkout}/lab/run' '${checkout}/lab/main.ts' wallet --lab ${lab.name} "$@"`;
  await writeFile(file, `#!/bin/sh\n${line}\n`);
  await chmod(file, 0o755);
  return directory;
}
