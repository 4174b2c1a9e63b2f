import { existsSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { execa, type Options } from "execa";
import { type CloudName, cloudsReady } from "./clouds/names.ts";
import { LabMachineRoom } from "./clouds/room/index.ts";
import { officialName, releaseHashFile } from "./doubles/release.ts";
import { type LabHost, LabHosts, makeKeys, privateKeyFile } from "./hosts/labHosts.ts";
import { LabState, labDirectory, labExists, labNames } from "./hosts/labState.ts";
import type { OwnProcess } from "./hosts/machine.ts";
import type { MoveRecorder } from "./hosts/moveRecorder.ts";
import {
  cloudPorts,
  createOperatorNetwork,
  ip,
  operatorAddress,
  operatorFiles,
  operatorNamespace,
  releaseHost,
  vaultPort,
  writeOperatorHosts,
} from "./hosts/network.ts";
import { noteSecretsOn } from "./hosts/secretsOn.ts";
import { ensureBaseImage } from "./images/baseImage.ts";
import { isReferenceSynced, referenceUrl, startReference } from "./operator/references.ts";
import { residentsIn } from "./stack/residents.ts";
import { callSocket } from "./util/callSocket.ts";
import { labProgram } from "./util/labProgram.ts";
import { ensureRequirements } from "./util/requirements.ts";

export type { HostShell, LabHost } from "./hosts/labHosts.ts";

const program = (name: string) => labProgram(join(import.meta.dirname, name));

/** Returns the prefix of a test run's labs, with its process id: the next run finds those of a killed one by it. */
export function testLabPrefix(pid: number): string {
  return `t${pid}x`;
}

/** Returns the prefix of the test run that this process belongs to, which takes its labs down; else of this process. */
export function ownLabPrefix(): string {
  return testLabPrefix(Number(process.env.PILLAR_TEST_RUN ?? process.pid));
}

/** A lab: test hosts on this machine, with their own release server and chain. Its directory is in the cache. */
export class Lab {
  static readonly directory = labDirectory;
  static readonly exists = labExists;
  static readonly list = labNames;

  static async open(name: string): Promise<Lab> {
    const lab = new Lab(name);
    await lab.state.load();
    return lab;
  }

  /** Makes a lab without hosts. Takes down one of the same name first, which a killed run has left. */
  static async create(name: string): Promise<Lab> {
    if (!/^[a-z][a-z0-9]{0,11}$/.test(name))
      throw new Error(`a lab's name is up to 12 letters and digits, not ${name}`);
    await ensureRequirements();
    const lab = Lab.exists(name) ? await Lab.open(name) : new Lab(name);
    await lab.down();
    const { state, dir } = lab;
    await state.begin();
    await ip(createOperatorNetwork(name));
    await writeOperatorHosts(name);
    const [relay, services] = await Promise.all([
      program("images/aptProxy.ts"),
      program("operator/services.ts"),
      makeKeys(dir),
    ]);
    await state.startProcess([...relay, join(dir, "apt.sock")]);
    await lab.startAtOperator([...services, dir]);
    await state.waitFor("the release server and the chain", () => existsSync(join(dir, "ready")));
    return lab;
  }

  readonly dir: string;
  private readonly state: LabState;
  private readonly hosts: LabHosts;

  /** Machine room with the clouds' servers, to order machines from. */
  readonly machineRoom: LabMachineRoom;

  /** Checks the hosts' moves, in tests. */
  recorder?: MoveRecorder;

  private constructor(readonly name: string) {
    this.state = new LabState(name);
    this.dir = this.state.dir;
    this.hosts = new LabHosts(this.state);
    this.machineRoom = new LabMachineRoom(this);
  }

  /** Returns the path of the operator's SSH key, which root of every host accepts. */
  get privateKeyFile(): string {
    return privateKeyFile(this.dir);
  }

  releaseUrl(name = "node-controller"): string {
    return `https://${releaseHost}/${name}.zip`;
  }

  /** Returns the repository that the controller's double builds its node from. */
  sourceUrl(): string {
    return `https://${releaseHost}/go-zenon`;
  }

  /** Returns the official archive of the orchestrator's current release, v0.0.9a, as a stack's file names it. */
  orchestratorRelease(): { readonly url: string; readonly sha256: string; readonly version: string } {
    const sha256 = readFileSync(releaseHashFile(this.dir), "utf8");
    return { url: this.releaseUrl(officialName), sha256, version: "v0.0.9a" };
  }

  /** Returns the URL of the double of Vault. */
  get vaultUrl(): string {
    return `http://${operatorAddress}:${vaultPort}`;
  }

  /** Returns a command that runs in the operator's namespace, where it can reach the hosts. */
  atOperator(command: readonly string[]): string[] {
    return ["ip", "netns", "exec", operatorNamespace(this.name), ...command];
  }

  /** Runs a command in the operator's namespace. */
  run<T extends Options = Record<never, never>>(command: readonly string[], options?: T) {
    const [program = "", ...args] = this.atOperator(command);
    return execa<T>(program, args, options);
  }

  /** Starts a process on the operator's machine, until the lab goes down; its output goes to a file. */
  startAtOperator(
    command: readonly string[],
    log?: string,
    env?: Readonly<Record<string, string>>,
  ): Promise<OwnProcess> {
    return this.state.startProcess(this.atOperator(command), log, env);
  }

  /** Starts what holds the loaded program, unless it runs. Returns the variables of a run that uses it. */
  async startResidents(): Promise<Readonly<Record<string, string>>> {
    const { command, areReady, env } = await residentsIn(this.dir);
    if (!areReady()) {
      await this.startAtOperator(command);
      await this.state.waitFor("the resident processes", areReady);
    }
    return env;
  }

  /** Calls the chain double's control API (lab/doubles/chain). */
  chain<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
    return callSocket<T>(join(this.dir, "chain.sock"), method, path, body);
  }

  /** Calls the release server, to put another archive at an address or to set faults. */
  releases(method: string, path: string, body?: unknown): Promise<unknown> {
    return callSocket(join(this.dir, "releases.sock"), method, path, body);
  }

  /** Starts the clouds' APIs unless they run: at {@link cloudUrl}, until the lab goes down. */
  async startClouds(): Promise<void> {
    const ready = () => existsSync(join(this.dir, cloudsReady));
    if (ready()) return;
    await this.state.startProcess([...(await labProgram(join(import.meta.dirname, "clouds/serve.ts"))), this.dir]);
    await this.state.waitFor("the clouds", ready);
  }

  /** Returns the URL of a cloud's API, on the operator's own machine: a token goes over plain http nowhere else. */
  cloudUrl(name: CloudName): string {
    return `http://127.0.0.1:${cloudPorts[name]}`;
  }

  /** Calls a cloud's API from outside: the control API under /_lab, or with a token the cloud's own. */
  cloud<T = unknown>(name: CloudName, method: string, path: string, body?: unknown, token?: string): Promise<T> {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return callSocket<T>(join(this.dir, `${name}.sock`), method, path, body, headers);
  }

  get hostNames(): string[] {
    return this.hosts.names;
  }

  /** Makes and boots a host, a blank one by default, and waits until its sshd answers. */
  async addHost(name: string, ensureImage = ensureBaseImage): Promise<LabHost> {
    const host = await this.hosts.add(name, await ensureImage());
    this.recorder?.watch(host);
    return host;
  }

  host(name: string): LabHost {
    return this.hosts.get(name);
  }

  isUp(name: string): Promise<boolean> {
    return this.hosts.isUp(name);
  }

  /** Returns the command of an SSH session on a host as root. */
  ssh(name: string, command: readonly string[] = []): string[] {
    return this.hosts.ssh(name, command);
  }

  get referenceNames(): readonly string[] {
    return this.state.record.references;
  }

  /** Returns a reference's URL for sync.references. */
  referenceUrl(name: string): string {
    return referenceUrl(this.referenceNames.indexOf(name));
  }

  /**
   * Starts an independent, synced node on the operator's machine. The chain double controls it by its name.
   * @returns its URL
   */
  async addReference(name: string): Promise<string> {
    const before = this.referenceNames;
    await startReference(this, name, before.length);
    await this.state.change({ references: [...before, name] });
    await this.state.waitFor(`reference ${name}`, () => isReferenceSynced(this, name));
    return this.referenceUrl(name);
  }

  /**
   * Takes the lab down and removes every trace. Works on the remains of a killed run, too.
   * @throws Error if its moves are no path of the simulation
   */
  async down(): Promise<void> {
    await this.noteSecrets();
    const servers = await this.machineRoom.servers().catch(() => []);
    const refusal = await this.recorder?.end(servers, this.dir).catch(({ message }: Error) => message);
    delete this.recorder;
    await this.hosts.cutPower();
    await this.state.endProcesses();
    // The room is cleared last: no process orders a machine any more.
    await this.machineRoom.clear();
    const listed = (await execa("ip", ["-o", "netns", "list"], { reject: false })).stdout.split("\n");
    const own = operatorNamespace(this.name);
    for (const line of listed) {
      const [ns] = line.split(" ");
      // The command may fail: another run may take down the same dead lab.
      if (ns === own || ns?.startsWith(`${own}-`)) await execa("ip", ["netns", "del", ns], { reject: false });
    }
    await rm(operatorFiles(this.name), { recursive: true, force: true });
    await this.hosts.releaseRoots();
    await this.state.forget();
    if (refusal) throw new Error(refusal);
  }

  /** Notes the secrets of all servers while they exist. */
  private async noteSecrets(): Promise<void> {
    const servers = await this.machineRoom.servers().catch(() => []);
    for (const { root } of [...this.hostNames.map((name) => ({ root: this.hosts.rootOf(name) })), ...servers])
      noteSecretsOn(root);
  }
}
