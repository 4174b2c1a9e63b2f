import { join } from "node:path";
import { execa } from "execa";
import { releaseRoot } from "../../hosts/disk";
import { ip } from "../../hosts/ip";
import { bootMachine, nodeBind, type OwnProcess, stopMachine } from "../../hosts/machine";
import { createHostNetwork, hostNamespace, plugHost, removeHostNetwork } from "../../hosts/network";
import type { MachineRecord } from "./records";

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
    const namespace = namespaceOf(this.lab, n);
    await this.plug(n, true);
    return bootMachine({
      machine: namespace,
      hostname: name,
      root: this.root(record),
      namespace,
      log: join(this.directory(n), "console.log"),
      binds: [nodeBind],
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

function hostOf(n: number): string {
  return `server${n}`;
}

function namespaceOf(lab: string, n: number): string {
  return hostNamespace(lab, hostOf(n));
}
