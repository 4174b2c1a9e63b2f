import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { makeRoot, releaseRoot } from "../../hosts/disk.ts";
import { bootMachine, type OwnProcess, stopMachine } from "../../hosts/machine.ts";
import { createHostNetwork, hostNamespace, ip, plugHost, removeHostNetwork } from "../../hosts/network.ts";
import { settle } from "../../hosts/personalize.ts";
import type { MachineOrder } from "../machineRoom.ts";
import { ensureCloudImage } from "./image.ts";
import type { MachineRecord } from "./records.ts";

/** Operations on one machine of a room. Keeps no state of its own. */
export class Rack {
  constructor(
    private readonly lab: string,
    private readonly directory: (n: number) => string,
  ) {}

  root({ n }: MachineRecord): string {
    return join(this.directory(n), "root");
  }

  /** Connects the machine to the network: behind its firewall, with the cable unplugged. */
  async wire({ n }: MachineRecord, firewall: string): Promise<void> {
    await ip(createHostNetwork(this.lab, hostOf(n), n));
    await this.plug(n, false);
    await this.nft(n, firewall);
  }

  /** Sets the firewall from outside the machine, so the rules survive the machine's reboots. */
  async nft(n: number, rules: string): Promise<void> {
    await execa("ip", ["netns", "exec", namespaceOf(this.lab, n), "nft", "-f", "-"], { input: rules });
  }

  async boot(record: MachineRecord): Promise<OwnProcess> {
    const { name, n } = record;
    await this.plug(n, true);
    return bootMachine({
      machine: namespaceOf(this.lab, n),
      hostname: name,
      root: this.root(record),
      log: join(this.directory(n), "console.log"),
      ownsNetwork: false,
    });
  }

  async halt({ n, process }: MachineRecord, hard: boolean): Promise<void> {
    await stopMachine(process, namespaceOf(this.lab, n), hard);
    // Otherwise the namespace would answer pings and refuse connections in place of the halted machine.
    await this.plug(n, false);
  }

  async dismantle({ n, process }: MachineRecord): Promise<void> {
    await stopMachine(process, namespaceOf(this.lab, n), true);
    for (const command of removeHostNetwork(this.lab, hostOf(n), n)) {
      // A machine that was ordered and never built may lack parts of its network.
      await execa("ip", [...command], { reject: false });
    }
    await releaseRoot(this.directory(n));
  }

  private async plug(n: number, on: boolean): Promise<void> {
    await ip([plugHost(this.lab, n, on)]);
  }
}

const hostOf = (n: number) => `server${n}`;
const namespaceOf = (lab: string, n: number) => hostNamespace(lab, hostOf(n));

/** Makes a server's disk from the clouds' image. Only the ssh keys in the order give access to it. */
export async function makeDisk(
  order: MachineOrder,
  directory: string,
  certificateFile: string,
  signal: AbortSignal,
): Promise<void> {
  await makeRoot(await ensureCloudImage(), directory, signal);
  const root = join(directory, "root");
  const { id, name, sshKeys, userData } = order;
  await settle(name, root, certificateFile);
  // The seed of cloud-init's NoCloud data source. User data may contain the private host key.
  const seed = join(root, "var/lib/cloud/seed/nocloud");
  await mkdir(seed, { recursive: true });
  await writeFile(join(seed, "user-data"), userData, { mode: 0o600 });
  // JSON is valid YAML.
  const metaData = { "instance-id": `i-${id}`, "local-hostname": name, "public-keys": sshKeys };
  await writeFile(join(seed, "meta-data"), JSON.stringify(metaData), { mode: 0o600 });
}
