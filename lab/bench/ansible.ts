import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import type { Lab } from "../lab.ts";
import { cached } from "../util/cache.ts";
import { step } from "../util/progress.ts";

const requirements = join(import.meta.dirname, "requirements.txt");
const playbook = join(import.meta.dirname, "playbook.yml");

/** Installs the peer of the bench: ansible-playbook from PyPI, in its own virtual environment, cached. */
export async function ensureAnsible(): Promise<string> {
  const version = createHash("sha256")
    .update(await readFile(requirements))
    .digest("hex")
    .slice(0, 12);
  return cached("ansible", version, (dir) =>
    step("installing ansible-core in an environment of its own", async (progress) => {
      const run = async (command: string, args: string[]) => {
        const child = execa(command, args, { all: true });
        progress.follow(child.all);
        await child.catch((error: { all?: string }) => {
          throw new Error(
            `the peer of the bench could not be installed: ${command} ${args.join(" ")}\n${String(error.all).slice(-800)}\n` +
              "  needed: Python 3.11 or newer with venv (Debian: python3-venv), and PyPI",
          );
        });
      };
      await run("python3", ["-m", "venv", dir]);
      await run(join(dir, "bin/python"), ["-m", "pip", "install", "--no-deps", "-r", requirements]);
    }),
  );
}

/**
 * Shell text that prepares a host for both; not timed. Cloud images already have what Ansible needs, and dpkg's syncs
 * would measure this machine's disk.
 */
export const preparation = `
  export DEBIAN_FRONTEND=noninteractive
  echo force-unsafe-io > /etc/dpkg/dpkg.cfg.d/unsafe-io
  apt-get -qq update && apt-get -qq -y install python3 python3-apt python3-pexpect > /dev/null
  rm -rf /var/lib/apt/lists/*
  update-ca-certificates > /dev/null`;

/**
 * Runs the playbook on the operator's machine. Each run makes its own SSH connection and keeps it to the end, like a
 * playbook that runs once a day.
 * @throws if a task failed
 * @returns its output and time
 */
export async function runPlaybook(lab: Lab, address: string, releaseSha256: string) {
  const environment = await ensureAnsible();
  const work = await mkdtemp(join(tmpdir(), "bench-"));
  const variables = {
    release_url: lab.releaseUrl(),
    release_sha256: releaseSha256,
    minimum_cores: 1,
    minimum_memory_mb: 3500,
    minimum_disk_bytes: 5e9,
  };
  await writeFile(join(work, "variables.json"), JSON.stringify(variables));
  const args = ["-m", "ansible.cli.playbook", "-u", "root", "--private-key", lab.privateKeyFile, "-i", `${address},`];
  const env = {
    ANSIBLE_CONFIG: join(import.meta.dirname, "ansible.cfg"),
    ANSIBLE_HOME: work,
    ANSIBLE_SSH_CONTROL_PATH_DIR: join(work, "cp"),
    ANSIBLE_SSH_ARGS: `-o ControlMaster=auto -o ControlPersist=60s -o UserKnownHostsFile=${join(lab.dir, "known_hosts")}`,
    ANSIBLE_NOCOLOR: "1",
  };
  try {
    const started = performance.now();
    const { exitCode, all } = await lab.run(
      [join(environment, "bin/python"), ...args, ...["-e", `@${join(work, "variables.json")}`, playbook]],
      { env, all: true, reject: false, timeout: 900_000 },
    );
    const seconds = (performance.now() - started) / 1000;
    if (exitCode !== 0) throw new Error(`the playbook failed:\n${String(all).slice(-3000)}`);
    return { seconds, output: String(all) };
  } finally {
    await endConnections(join(work, "cp"));
    await rm(work, { recursive: true, force: true });
  }
}

async function endConnections(directory: string): Promise<void> {
  for (const socket of await readdir(directory).catch(() => [])) {
    await execa("ssh", ["-o", `ControlPath=${join(directory, socket)}`, "-O", "exit", "host"], { reject: false });
  }
}
