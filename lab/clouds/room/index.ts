import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { insideMachine, isAlive } from "../../hosts/machine.ts";
import { hostAddress } from "../../hosts/network.ts";
import type { InboundRule, MachineOrder, MachineRoom } from "../machineRoom.ts";
import { makeDisk, Rack } from "./rack.ts";
import { type MachineRecord, MachineRecords } from "./records.ts";
import { Turns } from "./turns.ts";

interface Build {
  readonly abort: AbortController;
  /**
   * True until the disk is ready and the first boot begins. A power cut sets it to false, so the machine does not boot.
   */
  bootsNext: boolean;
}

/** Milliseconds. The first disk takes longest, because the image of all servers is built with it. */
const buildLimit = 300_000;

/**
 * The machine room of a lab. Servers are real hosts, booted by real cloud-init. The firewall is in a server's network
 * namespace, where the server's own root has no rights.
 */
export class LabMachineRoom implements MachineRoom {
  private readonly records: MachineRecords;
  private readonly rack: Rack;
  private readonly turns = new Turns();
  private readonly builds = new Map<string, Build>();

  constructor(private readonly lab: { readonly name: string; readonly dir: string }) {
    this.records = new MachineRecords(join(lab.dir, "machines"));
    this.rack = new Rack(lab.name, (n) => this.records.directory(n));
  }

  async order(order: MachineOrder): Promise<{ readonly address: string }> {
    const { id, name } = order;
    if (!/^[a-zA-Z0-9]{1,40}$/.test(id)) throw new Error(`a machine's id is letters and digits, not ${id}`);
    const firewall = ruleset(order.firewall);
    if (this.builds.has(id)) throw new Error(`machine ${id} was ordered already`);
    const build: Build = { abort: new AbortController(), bootsNext: true };
    this.builds.set(id, build);
    const record = await this.records.claim({ id, name });
    await this.rack.wire(record, firewall);
    this.turns
      .take(id, () => this.firstBoot(order, record, build))
      .catch(
        (error: unknown) => build.abort.signal.aborted || console.error(`server ${id} could not be built:`, error),
      );
    return { address: hostAddress(record.n) };
  }

  /** Boots a machine again, as from the provider's console. */
  powerOn(id: string): Promise<void> {
    return this.inTurn(id, (record) => this.boot(record));
  }

  /** Pulls the plug if `hard` is true, else shuts down cleanly. */
  async powerOff(id: string, hard = true): Promise<void> {
    const build = this.builds.get(id);
    if (hard && build?.bootsNext) build.bootsNext = false;
    else await this.inTurn(id, (record) => this.rack.halt(record, hard));
  }

  async setFirewall(id: string, rules: readonly InboundRule[] | undefined): Promise<void> {
    const text = ruleset(rules);
    // A separate queue: the firewall does not wait for the machine's boot.
    await this.turns.take(`${id}/firewall`, async () => this.rack.nft((await this.recordOf(id)).n, text));
  }

  async isRunning(id: string): Promise<boolean> {
    return isRunning(await this.records.find(id));
  }

  remove(id: string): Promise<void> {
    this.builds.get(id)?.abort.abort();
    return this.turns.take(id, async () => {
      const record = await this.records.find(id);
      if (record) await this.turns.take(`${id}/firewall`, () => this.rack.dismantle(record));
      if (record) await this.records.release(record.n);
      this.builds.delete(id);
    });
  }

  /** Removes all machines, even those that another process ordered. */
  async clear(): Promise<void> {
    await Promise.all((await this.records.all()).map(({ id }) => this.remove(id)));
  }

  async server(id: string) {
    return this.serverOf(await this.recordOf(id));
  }

  /** Returns all servers, even those that another process ordered. */
  async servers() {
    return (await this.records.all()).map((record) => this.serverOf(record));
  }

  /** Describes a server, for tests that check facts. Its root is its file system as seen from outside. */
  private serverOf(record: MachineRecord) {
    const { id, name, n } = record;
    /** Runs a script as root on the server, not over ssh. */
    const run = async (script: string, input?: string) => {
      const { process } = await this.recordOf(id);
      if (!process) throw new Error(`server ${id} has not booted yet`);
      return insideMachine(process, script, input);
    };
    return { id, name, address: hostAddress(n), root: this.rack.root(record), run };
  }

  private async firstBoot(order: MachineOrder, record: MachineRecord, build: Build): Promise<void> {
    const { signal } = build.abort;
    signal.throwIfAborted();
    await makeDisk(order, this.records.directory(record.n), join(this.lab.dir, "tls.crt"), signal);
    signal.throwIfAborted();
    const { bootsNext } = build;
    build.bootsNext = false;
    const made: MachineRecord = { ...record, hasDisk: true };
    await this.records.save(made);
    if (bootsNext) await this.boot(made);
  }

  private async boot({ id }: MachineRecord): Promise<void> {
    const record = await this.built(id);
    if (await isRunning(record)) return;
    await this.records.save({ ...record, process: await this.rack.boot(record) });
  }

  /**
   * Waits until a machine's disk exists. Another process may have taken the order and may still be making the disk, and
   * the queues here do not include its work.
   */
  private async built(id: string): Promise<MachineRecord> {
    for (const deadline = Date.now() + buildLimit; ; await sleep(100)) {
      const record = await this.recordOf(id);
      if (record.hasDisk) return record;
      if (Date.now() > deadline) throw new Error(`the disk of machine ${id} is not made after ${buildLimit / 1000} s`);
    }
  }

  private inTurn<T>(id: string, job: (record: MachineRecord) => Promise<T>): Promise<T> {
    return this.turns.take(id, async () => job(await this.recordOf(id)));
  }

  private async recordOf(id: string): Promise<MachineRecord> {
    const record = await this.records.find(id);
    if (!record) throw new Error(`there is no machine ${id} in the machine room`);
    return record;
  }
}

async function isRunning(record: MachineRecord | undefined): Promise<boolean> {
  return record?.process !== undefined && (await isAlive(record.process));
}

/** A server, for tests that check facts. */
export type Server = Awaited<ReturnType<LabMachineRoom["server"]>>;

const table = "inet cloud";

/**
 * Formats the input of `nft -f -` that replaces a machine's firewall in one transaction. Undefined rules remove the
 * firewall. nft refuses an invalid rule.
 */
export function ruleset(rules: readonly InboundRule[] | undefined): string {
  const gone = `table ${table} {}\ndelete table ${table}\n`;
  if (!rules) return gone;
  const lines = [
    "type filter hook input priority filter; policy drop;",
    'iifname "lo" accept',
    "ct state established,related accept",
    // Without these, IPv6 neighbors cannot find each other.
    "icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert, nd-router-advert } accept",
    ...rules.flatMap(({ protocol, ports, sources }) =>
      sources.map((from) => `${from.includes(":") ? "ip6" : "ip"} saddr ${from} ${protocol} dport ${ports} accept`),
    ),
  ];
  return `${gone}table ${table} {\n  chain input {\n${lines.map((line) => `    ${line}\n`).join("")}  }\n}\n`;
}
