import { existsSync, readFileSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";
import { ensureBaseImage } from "./baseImage";
import { cacheRoot } from "./cache";
import { callSocket } from "./callSocket";
import { type CloudName, cloudsReady } from "./clouds/names";
import { LabMachineRoom } from "./clouds/room";
import { makeRoot, releaseRoot } from "./hosts/disk";
import {
  bootMachine,
  endProcess,
  insideMachine,
  isAlive,
  machineLeader,
  nodeBind,
  type OwnProcess,
  startDetached,
  stopMachine,
} from "./hosts/machine";
import {
  cloudPorts,
  createHostNetwork,
  createOperatorNetwork,
  hostAddress,
  hostNamespace,
  type IpCommand,
  operatorAddress,
  operatorNamespace,
  referenceAddress,
  releaseHost,
} from "./hosts/network";
import { personalize } from "./hosts/personalize";
import { isReferenceSynced, startReference } from "./reference";
import { ensureRequirements } from "./requirements";

const checkout = join(import.meta.dirname, "..");
const tsx = join(checkout, "node_modules/.bin/tsx");

/** Labs of a test run carry the id of its process: what a killed run leaves behind is found by the next one. */
export function testLabPrefix(pid: number): string {
  return `t${pid}x`;
}

interface HostRecord {
  readonly n: number;
  readonly process: OwnProcess;
}

interface LabRecord {
  readonly processes: readonly OwnProcess[];
  readonly hosts: Readonly<Record<string, HostRecord>>;
  /** Names, the oldest first. */
  readonly references: readonly string[];
}

const noRecord: LabRecord = { processes: [], hosts: {}, references: [] };

/** A test host: a Debian 11 of its own, with systemd, sshd and cron. */
export interface LabHost {
  readonly name: string;
  readonly address: string;
  /** An authorized_keys line: what the configuration's host.hostKey takes. */
  readonly hostKey: string;
  /** The root file system, as seen from outside. */
  readonly root: string;
  /** Runs a script as root on it, not over ssh. */
  run(script: string, input?: string): ReturnType<typeof insideMachine>;
  stop(options?: { powerCut?: boolean }): Promise<void>;
  start(): Promise<void>;
  /** Returns when its sshd answers again. */
  reboot(options?: { powerCut?: boolean }): Promise<void>;
}

/** Test hosts on this machine, with a release server and a chain of their own. Its directory lies in the cache. */
export class Lab {
  static directory(name: string): string {
    return join(cacheRoot(), "lab", name);
  }

  static exists(name: string): boolean {
    return existsSync(join(Lab.directory(name), "lab.json"));
  }

  /** The names of all labs that are up, or were when this machine went down. */
  static async list(): Promise<string[]> {
    const names = await readdir(join(cacheRoot(), "lab")).catch(() => []);
    return names.filter((name) => Lab.exists(name));
  }

  static async open(name: string): Promise<Lab> {
    const lab = new Lab(name);
    lab.record = { ...noRecord, ...JSON.parse(await readFile(join(lab.dir, "lab.json"), "utf8")) };
    return lab;
  }

  /** Makes a lab without hosts. One of the same name, left behind by a run that was killed, is taken down first. */
  static async create(name: string): Promise<Lab> {
    if (!/^[a-z][a-z0-9]{0,11}$/.test(name))
      throw new Error(`a lab's name is up to 12 letters and digits, not ${name}`);
    await ensureRequirements();
    const lab = Lab.exists(name) ? await Lab.open(name) : new Lab(name);
    await lab.down();
    await mkdir(lab.dir, { recursive: true, mode: 0o700 });
    await lab.save();
    await ip(createOperatorNetwork(name));
    await Promise.all([
      lab.makeKeys(),
      lab.startProcess([tsx, join(import.meta.dirname, "aptProxy.ts"), join(lab.dir, "apt.sock")]),
    ]);
    const services = [tsx, join(import.meta.dirname, "services.ts"), lab.dir];
    await lab.startProcess(["ip", "netns", "exec", operatorNamespace(name), ...services]);
    await lab.waitFor("the release server and the chain", () => existsSync(join(lab.dir, "ready")));
    return lab;
  }

  readonly dir: string;
  private record: LabRecord = noRecord;

  /** Where the clouds' servers stand; for orders of this process too. */
  readonly machineRoom: LabMachineRoom;

  private constructor(readonly name: string) {
    this.dir = Lab.directory(name);
    this.machineRoom = new LabMachineRoom(this);
  }

  /** The operator's ssh key, which root of every host accepts. */
  get privateKeyFile(): string {
    return join(this.dir, "id_ed25519");
  }

  get hostNames(): string[] {
    return Object.keys(this.record.hosts);
  }

  releaseUrl(name = "node-controller"): string {
    return `https://${releaseHost}/${name}.zip`;
  }

  /** Without a version the current one, v0.0.9a. Built and served: v0.0.8; others a test puts there itself. */
  orchestratorReleaseUrl(version?: string): string {
    return this.releaseUrl(version === undefined ? "orchestrator" : `orchestrator-${version}`);
  }

  /** Puts a command where it can reach the hosts (the operator's namespace). */
  atOperator(command: readonly string[]): string[] {
    return ["ip", "netns", "exec", operatorNamespace(this.name), ...command];
  }

  /** The argv of an ssh session on a host as root. */
  ssh(name: string, command: readonly string[] = []): string[] {
    const known = ["-o", `UserKnownHostsFile=${join(this.dir, "known_hosts")}`, "-o", "LogLevel=ERROR"];
    const key = ["-i", this.privateKeyFile, "-o", "IdentitiesOnly=yes"];
    return this.atOperator(["ssh", ...known, ...key, `root@${this.host(name).address}`, ...command]);
  }

  /** Calls the chain double's control API (lab/doubles/chain). */
  chain<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
    return callSocket<T>(join(this.dir, "chain.sock"), method, path, body);
  }

  /** Calls the release server: put another archive at an address, set faults. */
  releases(method: string, path: string, body?: unknown): Promise<unknown> {
    return callSocket(join(this.dir, "releases.sock"), method, path, body);
  }

  /** Starts the clouds' APIs where they do not run yet: at {@link cloudUrl}, until the lab goes down. */
  async startClouds(program = join(import.meta.dirname, "clouds/serve.ts")): Promise<void> {
    const ready = () => existsSync(join(this.dir, cloudsReady));
    if (ready()) return;
    await this.startProcess([tsx, program, this.dir]);
    await this.waitFor("the clouds", ready);
  }

  /** Where the engine finds a cloud's API. */
  cloudUrl(name: CloudName): string {
    return `http://${operatorAddress}:${cloudPorts[name]}`;
  }

  /** Calls a cloud's API from outside, such as its control API under /_lab. */
  cloud<T = unknown>(name: CloudName, method: string, path: string, body?: unknown): Promise<T> {
    return callSocket<T>(join(this.dir, `${name}.sock`), method, path, body);
  }

  /** Makes and boots a blank host; returns when its sshd answers. */
  async addHost(name: string): Promise<LabHost> {
    const base = await ensureBaseImage();
    const n = this.hostNames.length;
    const root = this.rootOf(name);
    await mkdir(join(root, ".."), { recursive: true });
    await makeRoot(base, join(root, ".."));
    await personalize(name, root, {
      publicKeyFile: `${this.privateKeyFile}.pub`,
      certificateFile: join(this.dir, "tls.crt"),
    });
    await ip(createHostNetwork(this.name, name, n));
    await this.boot(name, n);
    await this.waitForSsh(name);
    return this.host(name);
  }

  get referenceNames(): readonly string[] {
    return this.record.references;
  }

  /** What the configuration's sync.references takes. */
  referenceUrl(name: string): string {
    return `http://${referenceAddress(this.record.references.indexOf(name))}:35997`;
  }

  /** An independent node at the operator's end, synced; the chain double commands it under its name. */
  async addReference(name: string): Promise<string> {
    const { references, processes } = this.record;
    const process = await startReference(this, name, references.length);
    this.record = { ...this.record, processes: [...processes, process], references: [...references, name] };
    await this.save();
    await this.waitFor(`reference ${name}`, () => isReferenceSynced(this, name));
    return this.referenceUrl(name);
  }

  host(name: string): LabHost {
    const record = this.record.hosts[name];
    if (!record)
      throw new Error(`lab ${this.name} has no host ${name} (it has: ${this.hostNames.join(", ") || "none"})`);
    const root = this.rootOf(name);
    const current = () => this.record.hosts[name]?.process ?? record.process;
    return {
      name,
      address: hostAddress(record.n),
      hostKey: this.hostKeyOf(name),
      root,
      run: (script, input) => insideMachine(current(), script, input),
      stop: async ({ powerCut = false } = {}) => stopMachine(current(), this.machineOf(name), powerCut),
      start: async () => {
        await this.boot(name, record.n);
        await this.waitForSsh(name);
      },
      reboot: async ({ powerCut = false } = {}) => {
        const host = this.host(name);
        if (powerCut) {
          await host.stop({ powerCut });
          return host.start();
        }
        const before = await machineLeader(current());
        await host.run("systemctl reboot");
        await this.waitFor(`${name}, rebooted,`, async () => {
          const leader = await machineLeader(current());
          return leader !== undefined && leader !== before;
        });
        await this.waitForSsh(name);
      },
    };
  }

  async isUp(name: string): Promise<boolean> {
    const record = this.record.hosts[name];
    return record !== undefined && (await isAlive(record.process));
  }

  /** Ends all of it and removes every trace. Works on the remains of a killed run too. */
  async down(): Promise<void> {
    await Promise.all(
      Object.entries(this.record.hosts).map(([name, { process }]) => stopMachine(process, this.machineOf(name), true)),
    );
    await Promise.all(this.record.processes.map((process) => endProcess(process)));
    // Only now: nobody orders any more.
    await this.machineRoom.clear();
    const listed = (await execa("ip", ["-o", "netns", "list"], { reject: false })).stdout.split("\n");
    const own = operatorNamespace(this.name);
    for (const line of listed) {
      const [ns] = line.split(" ");
      if (ns === own || ns?.startsWith(`${own}-`)) await ip([["netns", "del", ns]]);
    }
    // Of a host that a killed run had only begun to make, too.
    for (const name of await readdir(join(this.dir, "hosts")).catch(() => [])) {
      await releaseRoot(join(this.rootOf(name), ".."));
    }
    await rm(this.dir, { recursive: true, force: true });
    this.record = noRecord;
  }

  private rootOf(name: string): string {
    return join(this.dir, "hosts", name, "root");
  }

  private machineOf(name: string): string {
    return hostNamespace(this.name, name);
  }

  private async boot(name: string, n: number): Promise<void> {
    const process = await bootMachine({
      machine: this.machineOf(name),
      hostname: name,
      root: this.rootOf(name),
      namespace: hostNamespace(this.name, name),
      log: join(this.dir, "hosts", name, "console.log"),
      binds: [nodeBind],
    });
    this.record = { ...this.record, hosts: { ...this.record.hosts, [name]: { n, process } } };
    await this.save();
  }

  private async waitForSsh(name: string): Promise<void> {
    const { address, hostKey } = this.host(name);
    await writeFile(join(this.dir, "known_hosts"), `${address} ${hostKey}\n`, { flag: "a" });
    await this.waitFor(`sshd on ${name}`, () => this.answersSsh(name));
  }

  private hostKeyOf(name: string): string {
    const line = readFileSync(join(this.rootOf(name), "etc/ssh/ssh_host_ed25519_key.pub"), "utf8");
    return line.split(" ").slice(0, 2).join(" ");
  }

  private async answersSsh(name: string): Promise<boolean> {
    const [command = "", ...args] = this.ssh(name, ["true"]);
    return (await execa(command, args, { reject: false, timeout: 5_000 })).exitCode === 0;
  }

  private async makeKeys(): Promise<void> {
    await execa("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "operator", "-f", this.privateKeyFile]);
    await execa("openssl", [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30"],
      ...["-subj", `/CN=${releaseHost}`, "-addext", `subjectAltName=DNS:${releaseHost}`],
      ...["-keyout", join(this.dir, "tls.key"), "-out", join(this.dir, "tls.crt")],
    ]);
  }

  private async startProcess(argv: readonly string[]): Promise<void> {
    const own = await startDetached(argv, join(this.dir, "services.log"));
    this.record = { ...this.record, processes: [...this.record.processes, own] };
    await this.save();
  }

  private async waitFor(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
    const deadline = Date.now() + 60_000;
    while (!(await condition())) {
      if (Date.now() > deadline) throw new Error(`${what} did not come up in a minute: see the logs under ${this.dir}`);
      await sleep(100);
    }
  }

  private async save(): Promise<void> {
    await writeFile(join(this.dir, "lab.json"), JSON.stringify(this.record, undefined, 2));
  }
}

async function ip(commands: readonly IpCommand[]): Promise<void> {
  for (const command of commands) await execa("ip", [...command]);
}
