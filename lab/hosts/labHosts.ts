import { readFileSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { noteSecret } from "../testRun/printed.ts";
import { makeRoot, releaseRoot } from "./disk.ts";
import type { LabState } from "./labState.ts";
import { bootMachine, insideMachine, isAlive, machineLeader, stopMachine } from "./machine.ts";
import { createHostNetwork, hostAddress, hostNamespace, ip, operatorNamespace, releaseHost } from "./network.ts";
import { loginUserOf, personalize } from "./personalize.ts";

/** A test host: its own Debian with systemd, sshd, and cron. */
export type LabHost = ReturnType<LabHosts["get"]>;

/** The parts of a host that are needed to put something on it. A cloud's server has them, too. */
export type HostShell = Pick<LabHost, "name" | "run">;

export class LabHosts {
  constructor(private readonly state: LabState) {}

  get names(): string[] {
    return Object.keys(this.state.record.hosts);
  }

  /**
   * Creates and boots a host. Returns when its sshd answers.
   * @param image the directory of the root file system to copy
   */
  async add(name: string, image: string): Promise<LabHost> {
    const n = this.names.length;
    const { dir } = this.state;
    const root = this.rootOf(name);
    await mkdir(join(root, ".."), { recursive: true });
    await makeRoot(image, join(root, ".."));
    await personalize(name, root, `${privateKeyFile(dir)}.pub`, certificateFile(dir));
    await ip(createHostNetwork(this.state.name, name, n));
    await this.boot(name, n);
    await this.waitForSsh(name);
    return this.get(name);
  }

  get(name: string) {
    const record = this.state.record.hosts[name];
    if (!record)
      throw new Error(`lab ${this.state.name} has no host ${name} (it has: ${this.names.join(", ") || "none"})`);
    const current = () => this.state.record.hosts[name]?.process ?? record.process;
    const machine = this.machineOf(name);
    const stop = ({ powerCut = false } = {}): Promise<void> => stopMachine(current(), machine, powerCut);
    const start = async (): Promise<void> => {
      await this.boot(name, record.n);
      await this.waitForSsh(name);
    };
    /** Runs a script as root on the host, not over ssh. */
    const run = (script: string, input?: string) => insideMachine(current(), script, input);
    /** Reboots the host and returns when its sshd answers again. */
    const reboot = async ({ powerCut = false } = {}): Promise<void> => {
      if (powerCut) {
        await stop({ powerCut });
        return start();
      }
      const before = await machineLeader(current());
      await run("systemctl reboot");
      await this.state.waitFor(`${name}, rebooted,`, async () => {
        const leader = await machineLeader(current());
        return leader !== undefined && leader !== before;
      });
      await this.waitForSsh(name);
    };
    const root = this.rootOf(name);
    // An authorized_keys line, as the configuration's host.hostKey needs it.
    const line = readFileSync(join(root, "etc/ssh/ssh_host_ed25519_key.pub"), "utf8");
    const hostKey = line.split(" ").slice(0, 2).join(" ");
    return { name, address: hostAddress(record.n), hostKey, user: loginUserOf(root), root, run, stop, start, reboot };
  }

  async isUp(name: string): Promise<boolean> {
    const record = this.state.record.hosts[name];
    return record !== undefined && (await isAlive(record.process));
  }

  /** Returns the argv of an ssh session on a host, as root if root may log in, from the operator's end. */
  ssh(name: string, command: readonly string[] = []): string[] {
    const { name: lab, dir } = this.state;
    const known = ["-o", `UserKnownHostsFile=${join(dir, "known_hosts")}`, "-o", "LogLevel=ERROR"];
    const key = ["-i", privateKeyFile(dir), "-o", "IdentitiesOnly=yes"];
    const ssh = ["ssh", ...known, ...key, `${this.get(name).user}@${this.get(name).address}`, ...command];
    return ["ip", "netns", "exec", operatorNamespace(lab), ...ssh];
  }

  async cutPower(): Promise<void> {
    const all = Object.entries(this.state.record.hosts);
    await Promise.all(all.map(([name, { process }]) => stopMachine(process, this.machineOf(name), true)));
  }

  /** Unmounts the hosts' root file systems, even of a host that a killed run left unfinished. */
  async releaseRoots(): Promise<void> {
    for (const name of await readdir(join(this.state.dir, "hosts")).catch(() => []))
      await releaseRoot(join(this.rootOf(name), ".."));
  }

  /** Returns the root file system of a host, as seen from outside. */
  rootOf(name: string): string {
    return join(this.state.dir, "hosts", name, "root");
  }

  private machineOf(name: string): string {
    return hostNamespace(this.state.name, name);
  }

  private async boot(name: string, n: number): Promise<void> {
    const process = await bootMachine({
      machine: this.machineOf(name),
      hostname: name,
      root: this.rootOf(name),
      log: join(this.state.dir, "hosts", name, "console.log"),
    });
    await this.state.change({ hosts: { ...this.state.record.hosts, [name]: { n, process } } });
  }

  private async waitForSsh(name: string): Promise<void> {
    const { address, hostKey } = this.get(name);
    await writeFile(join(this.state.dir, "known_hosts"), `${address} ${hostKey}\n`, { flag: "a" });
    const [command = "", ...args] = this.ssh(name, ["true"]);
    await this.state.waitFor(`sshd on ${name}`, async () => {
      return (await execa(command, args, { reject: false, timeout: 20_000 })).exitCode === 0;
    });
  }
}

/** Returns the path of the operator's ssh key, which logs in as root on every host. */
export function privateKeyFile(dir: string): string {
  return join(dir, "id_ed25519");
}

/** Returns the path of the release server's certificate, which every host trusts. */
export function certificateFile(dir: string): string {
  return join(dir, "tls.crt");
}

/** Creates the operator's ssh key and the release server's certificate. */
export async function makeKeys(dir: string): Promise<void> {
  await execa("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "operator", "-f", privateKeyFile(dir)]);
  await execa("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30"],
    ...["-subj", `/CN=${releaseHost}`, "-addext", `subjectAltName=DNS:${releaseHost}`],
    ...["-keyout", join(dir, "tls.key"), "-out", certificateFile(dir)],
  ]);
  noteSecret("the operator's ssh key", readFileSync(privateKeyFile(dir), "utf8"));
  noteSecret("the release server's key", readFileSync(join(dir, "tls.key"), "utf8"));
}
