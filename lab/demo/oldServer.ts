import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { cloudTokens } from "../clouds/doubles";
import type { HostShell, Lab } from "../lab";
import { setUpOrchestrator } from "../orchestrator";
import { type NodeProducer, setUpSyncedNode } from "../syncedNode";

/** The host that the demo begins with: a server at the lab's Hetzner that somebody ordered years ago. */
export interface OldServer extends HostShell {
  /** The server's number at the provider. */
  readonly id: string;
  readonly address: string;
  readonly hostKey: string;
  readonly producer: NodeProducer;
}

const bootLimit = 120_000;

/** Orders it as a customer does, and puts a synced node and a signer on it. */
export async function orderOldServer(lab: Lab): Promise<OldServer> {
  await lab.startClouds();
  const publicKey = await readFile(`${lab.privateKeyFile}.pub`, "utf8");
  const api = <T>(path: string, body: object) =>
    lab.cloud<T>("hetzner", "POST", `/v1${path}`, body, cloudTokens.hetzner);
  const { ssh_key } = await api<{ ssh_key: { id: number } }>("/ssh_keys", { name: "mine", public_key: publicKey });
  const { server } = await api<{ server: { id: number } }>("/servers", {
    ...{ name: "old-pillar", server_type: "cpx32", image: "debian-11", location: "hel1" },
    ssh_keys: [ssh_key.id],
  });
  const machine = await booted(lab);
  await unlocked(lab, server.id);
  await api(`/servers/${server.id}/actions/change_protection`, { delete: true, rebuild: true });
  const on = async (script: string) => String((await machine.run(script)).stdout).trim();
  const host = {
    ...{ name: machine.name, run: machine.run, id: String(server.id), address: machine.address },
    hostKey: (await on("cut -d' ' -f1,2 /etc/ssh/ssh_host_ed25519_key.pub")).trim(),
  };
  const producer = await setUpSyncedNode(lab, host);
  await setUpOrchestrator(lab, host);
  return { ...host, producer };
}

/** While an action runs the API refuses the next; actions get on when somebody looks. */
async function unlocked(lab: Lab, id: number): Promise<void> {
  const deadline = Date.now() + bootLimit;
  const look = () =>
    lab.cloud<{ server: { locked: boolean } }>("hetzner", "GET", `/v1/servers/${id}`, undefined, cloudTokens.hetzner);
  while ((await look()).server.locked) {
    if (Date.now() > deadline) throw new Error("an action of the old server did not end in two minutes");
    await sleep(200);
  }
}

async function booted(lab: Lab) {
  const deadline = Date.now() + bootLimit;
  for (;;) {
    const [machine] = await lab.machineRoom.servers();
    const isThere = await machine
      ?.run("test -e /var/lib/cloud/instance/boot-finished && systemctl is-active ssh")
      .then(({ exitCode }) => exitCode === 0)
      .catch(() => false);
    if (machine && isThere) return machine;
    if (Date.now() > deadline) throw new Error("the old server did not boot in two minutes");
    await sleep(500);
  }
}
