import { readFileSync } from "node:fs";
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { cached } from "../util/cache.ts";
import { step } from "../util/progress.ts";
import { findMirror } from "./mirror.ts";

/** Debian releases that a host can have, by their names in /etc/os-release, with their code names. */
const debianReleases = { "debian-11": "bullseye", "debian-12": "bookworm", "debian-13": "trixie" } as const;
export type Distribution = keyof typeof debianReleases;

/** Increase this when the recipe below changes. It is part of the cache key. */
const recipe = "5";

const packages = [
  ...["systemd", "systemd-sysv", "dbus", "openssh-server", "cron", "sudo"],
  ...["iproute2", "procps", "ca-certificates", "curl", "netbase"],
];

/** Returns the cache key of a base image. The images on top of it include it in their own keys. */
export function baseImageVersion(distribution: Distribution): string {
  return `${distribution}-${recipe}`;
}

/**
 * Makes a bootable Debian with systemd, sshd, and cron, like a provider's image: no unzip, no wget, no host key. Each
 * host is a copy.
 * @returns the directory of the root file system, read-only by convention
 */
export async function ensureBaseImage(distribution: Distribution = "debian-11"): Promise<string> {
  const build = (dir: string) => makeDebian(distribution, dir);
  return join(await cached("base-image", baseImageVersion(distribution), build), "root");
}

async function makeDebian(distribution: Distribution, dir: string): Promise<void> {
  const { debian, security } = await findMirror();
  const root = join(dir, "root");
  const release = debianReleases[distribution];
  await step(`building the base image of the test hosts (${distribution}, about a minute)`, async (progress) => {
    const child = execa(
      "debootstrap",
      ["--variant=minbase", `--include=${packages.join(",")}`, release, root, debian],
      { all: true },
    );
    progress.follow(child.all);
    await child;
  });
  const write = (path: string, text: string) => writeFile(join(root, path), text);
  await write("etc/apt/sources.list", `deb ${debian} ${release} main\ndeb ${security} ${release}-security main\n`);
  // Each call of apt reads all of its lists: a third of them would be translations.
  await write("etc/apt/apt.conf.d/lab", 'Acquire::Languages "none";\n');
  await write("etc/ssh/sshd_config.d/lab.conf", "UseDNS no\n");
  await appendFile(join(root, "etc/default/locale"), "LANG=C.UTF-8\n");
  // dpkg does not wait for the disk: other jobs share the machine below, and a lab host's disk need not survive a power
  // cut.
  await write("etc/dpkg/dpkg.cfg.d/lab", "force-unsafe-io\n");
  await forgetIdentity(root);
}

/**
 * Removes what every host must have for itself: with a shared host key, a pinned key would prove nothing. Also removes
 * downloaded packages.
 */
export async function forgetIdentity(root: string): Promise<void> {
  await execa("sh", ["-c", `rm -f ${root}/etc/ssh/ssh_host_* ${root}/var/cache/apt/archives/*.deb`]);
  await writeFile(join(root, "etc/machine-id"), "");
}

/** Reads the distribution of a root file system in the program's form, such as debian-12. */
export function distributionOf(root: string): string {
  const text = readFileSync(join(root, "etc/os-release"), "utf8");
  const fieldOf = (name: string) => new RegExp(`^${name}="?([^"\n]*)"?$`, "m").exec(text)?.[1] ?? "";
  return `${fieldOf("ID")}-${fieldOf("VERSION_ID")}`;
}
