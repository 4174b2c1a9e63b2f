import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { cloudTokens } from "../../../lab/clouds/names.ts";
import type { Lab } from "../../../lab/lab.ts";
import { setUpOrchestrator } from "../../../lab/oldHost/runningOrchestrator.ts";
import { setUpSyncedNode } from "../../../lab/oldHost/syncedNode.ts";

const bootLimit = 120_000;

/** Orders the server as a customer does, and sets up a synced node and an orchestrator on it. */
export async function orderOldServer(lab: Lab) {
  await lab.startClouds();
  const id = await order(lab, await readFile(`${lab.privateKeyFile}.pub`, "utf8"));
  const machine = await booted(lab);
  // While an action runs, the provider refuses the next.
  const isLocked = async () => (await ask<{ server: { locked: boolean } }>(lab, `/servers/${id}`)).server.locked;
  await until(async () => !(await isLocked()), "an action of the old server did not end");
  await ask(lab, `/servers/${id}/actions/change_protection`, { delete: true, rebuild: true });
  const on = async (script: string) => String((await machine.run(script)).stdout).trim();
  const host = {
    name: machine.name,
    run: machine.run,
    /** Id of the server at the provider. */
    id: String(id),
    address: machine.address,
    hostKey: (await on("cut -d' ' -f1,2 /etc/ssh/ssh_host_ed25519_key.pub")).trim(),
  };
  const producer = await setUpSyncedNode(lab, host);
  await setUpOrchestrator(lab, host);
  return { ...host, producer };
}

/** The old host: a server at the lab's Hetzner, ordered years ago. */
export type OldServer = Awaited<ReturnType<typeof orderOldServer>>;

const ask = <T>(lab: Lab, path: string, body?: object) =>
  lab.cloud<T>("hetzner", body ? "POST" : "GET", `/v1${path}`, body, cloudTokens.hetzner);

async function order(lab: Lab, public_key: string): Promise<number> {
  const { ssh_key } = await ask<{ ssh_key: { id: number } }>(lab, "/ssh_keys", { name: "mine", public_key });
  const { server } = await ask<{ server: { id: number } }>(lab, "/servers", {
    name: "old-pillar",
    server_type: "cpx32",
    image: "debian-11",
    location: "hel1",
    ssh_keys: [ssh_key.id],
  });
  return server.id;
}

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
