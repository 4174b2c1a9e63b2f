import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { cloudTokens } from "../clouds/doubles";
import type { CloudName } from "../clouds/names";
import type { HostShell, Lab } from "../lab";
import { setUpOrchestrator } from "../oldHost/runningOrchestrator";
import { type NodeProducer, setUpSyncedNode } from "../oldHost/syncedNode";

/** The demo's old host: a server at one of the lab's clouds, ordered years ago. */
export interface OldServer extends HostShell {
  readonly provider: CloudName;
  /** Id of the server at the provider. */
  readonly id: string;
  readonly address: string;
  readonly hostKey: string;
  readonly producer: NodeProducer;
}

const bootLimit = 120_000;

/** Orders the server as a customer does, and sets up a synced node and an orchestrator on it. */
export async function orderOldServer(lab: Lab, provider: CloudName = "hetzner"): Promise<OldServer> {
  await lab.startClouds();
  const publicKey = await readFile(`${lab.privateKeyFile}.pub`, "utf8");
  const id = await orders[provider](lab, publicKey);
  const machine = await booted(lab);
  await settled[provider](lab, id);
  const on = async (script: string) => String((await machine.run(script)).stdout).trim();
  const host = {
    name: machine.name,
    run: machine.run,
    provider,
    id: String(id),
    address: machine.address,
    hostKey: (await on("cut -d' ' -f1,2 /etc/ssh/ssh_host_ed25519_key.pub")).trim(),
  };
  const producer = await setUpSyncedNode(lab, host);
  await setUpOrchestrator(lab, host);
  return { ...host, producer };
}

const hetzner = <T>(lab: Lab, path: string, body?: object) =>
  lab.cloud<T>("hetzner", body ? "POST" : "GET", `/v1${path}`, body, cloudTokens.hetzner);
const digitalocean = <T>(lab: Lab, path: string, body?: object) =>
  lab.cloud<T>("digitalocean", body ? "POST" : "GET", `/v2${path}`, body, cloudTokens.digitalocean);

/** Orders through each provider's API. */
const orders: Readonly<Record<CloudName, (lab: Lab, publicKey: string) => Promise<number>>> = {
  hetzner: async (lab, public_key) => {
    const { ssh_key } = await hetzner<{ ssh_key: { id: number } }>(lab, "/ssh_keys", { name: "mine", public_key });
    const { server } = await hetzner<{ server: { id: number } }>(lab, "/servers", {
      name: "old-pillar",
      server_type: "cpx32",
      image: "debian-11",
      location: "hel1",
      ssh_keys: [ssh_key.id],
    });
    return server.id;
  },
  digitalocean: async (lab, public_key) => {
    const key = { name: "mine", public_key };
    const { ssh_key } = await digitalocean<{ ssh_key: { id: number } }>(lab, "/account/keys", key);
    const { droplet } = await digitalocean<{ droplet: { id: number } }>(lab, "/droplets", {
      name: "old-pillar",
      size: "s-4vcpu-8gb",
      image: "debian-12-x64",
      region: "lon1",
      ssh_keys: [ssh_key.id],
    });
    return droplet.id;
  },
};

/**
 * Waits until the server is ready: while an action runs, a provider refuses the next. Actions progress only when asked
 * about.
 */
const settled: Readonly<Record<CloudName, (lab: Lab, id: number) => Promise<unknown>>> = {
  hetzner: async (lab, id) => {
    const isLocked = async () => (await hetzner<{ server: { locked: boolean } }>(lab, `/servers/${id}`)).server.locked;
    await until(async () => !(await isLocked()), "an action of the old server did not end");
    await hetzner(lab, `/servers/${id}/actions/change_protection`, { delete: true, rebuild: true });
  },
  digitalocean: (lab, id) =>
    until(
      async () =>
        (await digitalocean<{ droplet: { status: string } }>(lab, `/droplets/${id}`)).droplet.status === "active",
      "the old Droplet did not become active",
    ),
};

async function booted(lab: Lab) {
  const find = async () => {
    const [machine] = await lab.machineRoom.servers();
    const isThere = await machine
      ?.run("test -e /var/lib/cloud/instance/boot-finished && systemctl is-active ssh")
      .then(({ exitCode }) => exitCode === 0)
      .catch(() => false);
    return isThere ? machine : undefined;
  };
  let machine = await find();
  await until(async () => {
    machine ??= await find();
    return machine !== undefined;
  }, "the old server did not boot");
  if (machine === undefined) throw new Error("the old server is gone");
  return machine;
}

async function until(isSo: () => Promise<boolean>, fault: string): Promise<void> {
  const deadline = Date.now() + bootLimit;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`${fault} in two minutes`);
    await sleep(200);
  }
}
