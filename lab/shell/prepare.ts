import { chmod, cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Lab, type LabHost } from "../lab";
import { setUpOrchestrator } from "../orchestrator";
import { ensurePackagedImage } from "../packagedImage";
import { LabStack, type StackFile } from "../stack";
import { setUpSyncedNode } from "../syncedNode";

/** The Pillar that is moved in the shell. */
export const pillar = "Anvil";
/** The stack of the new host, as README calls it. */
const stackName = "prod-2";
/** A chain in a hurry: a momentum a second, ticks of twenty, epochs of thirty seconds. */
const hurry = { momentumSeconds: 1, tickMomentums: 20, epochSeconds: 30, rewardDelaySeconds: 1 };

/** What an operator's shell is started with. */
export interface ShellPlace {
  /** The program's directory. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  readonly hosts: { readonly old: string; readonly fresh: string };
}

const checkout = join(import.meta.dirname, "../..");
const placeFile = (lab: Pick<Lab, "dir">) => join(lab.dir, "shell.json");

/** The place as it was prepared; undefined where it was not, or not to its end. */
export async function preparedPlace(name: string): Promise<ShellPlace | undefined> {
  if (!Lab.exists(name)) return undefined;
  const text = await readFile(placeFile(await Lab.open(name)), "utf8").catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as ShellPlace);
}

/** A lab with an old host that produces and signs, a blank new one, two references, and the stack of the new one. */
export async function preparePlace(name: string): Promise<ShellPlace> {
  const lab = await Lab.create(name);
  // A sync of some fifteen seconds, so that there is something to watch.
  await lab.chain("PATCH", "/truth", { ...hurry, height: 2600, defaults: { rate: 160, behind: 2400 } });
  const old = await lab.addHost("old", ensurePackagedImage);
  const fresh = await lab.addHost("new", ensurePackagedImage);
  for (const host of [old, fresh]) await host.run("echo 127.0.0.2 bnb-node.example eth-node.example >> /etc/hosts");
  const producer = await setUpSyncedNode(lab, old);
  await setUpOrchestrator(lab, old);
  await lab.chain("PATCH", `/pillars/${pillar}`, { producerAddress: producer.address });
  const references = [await lab.addReference("ref1"), await lab.addReference("ref2")];

  const stack = await LabStack.create(lab, stackName, stackFile(lab, old, fresh, references), {});
  const home = join(lab.dir, "operator");
  await mkdir(join(home, ".ssh"), { recursive: true, mode: 0o700 });
  await cp(lab.privateKeyFile, join(home, ".ssh/id_ed25519"));
  const { PULUMI_STACK: _, ...env } = stack.env;
  const place: ShellPlace = {
    directory: stack.programDirectory,
    env: { ...env, HOME: home, PATH: `${await walletCommand(lab)}:${env.PATH}` },
    hosts: { old: old.address, fresh: fresh.address },
  };
  await writeFile(placeFile(lab), JSON.stringify(place), { mode: 0o600 });
  return place;
}

/** As `./pillar-host init` writes it, with the lab's release, clocks and small hosts. */
function stackFile(lab: Lab, old: LabHost, fresh: LabHost, references: readonly string[]): StackFile {
  return {
    pillar: { name: pillar },
    host: {
      ...{ provider: "existing", address: fresh.address, hostKey: fresh.hostKey },
      minimums: { cores: 1, diskGb: 1 },
    },
    ssh: { privateKeyFile: "~/.ssh/id_ed25519" },
    controller: { release: { url: lab.releaseUrl() } },
    sync: { references },
    orchestrator: {
      release: lab.orchestratorRelease(),
      migrateFrom: { address: old.address, hostKey: old.hostKey },
    },
    network: {
      epoch: `${hurry.epochSeconds}s`,
      momentum: `${hurry.momentumSeconds}s`,
      tickMomentums: hurry.tickMomentums,
    },
  };
}

/** What stands for the desktop wallet in a terminal. @returns its directory */
async function walletCommand(lab: Lab): Promise<string> {
  const directory = join(lab.dir, "bin");
  const file = join(directory, "wallet");
  await mkdir(directory);
  // The shell has a home of its own: the lab lies in the cache of the one who made it.
  const cache = dirname(dirname(dirname(lab.dir)));
  const line = `XDG_CACHE_HOME='${cache}' exec '${checkout}/lab/run' '${checkout}/lab/main.ts' wallet --lab ${lab.name} "$@"`;
  await writeFile(file, `#!/bin/sh\n${line}\n`);
  await chmod(file, 0o755);
  return directory;
}
