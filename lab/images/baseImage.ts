import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { appendFile, copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { execa } from "execa";
import { cached } from "../util/cache.ts";
import { type Progress, step } from "../util/progress.ts";
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

/**
 * Returns the root file system, a directory or a tar archive, that a person brings for the hosts whose test names no
 * release (`PILLAR_LAB_ROOTFS`).
 */
export function ownRootFileSystem(): string | undefined {
  return process.env.PILLAR_LAB_ROOTFS ? resolve(process.env.PILLAR_LAB_ROOTFS) : undefined;
}

/** Returns the cache key of a base image. The images on top of it include it in their own keys. */
export function baseImageVersion(distribution?: Distribution): string {
  const own = distribution === undefined ? ownRootFileSystem() : undefined;
  if (own === undefined) return `${distribution ?? "debian-11"}-${recipe}`;
  const { mtimeMs } = statSync(own);
  return `own-${createHash("sha256").update(`${own} ${mtimeMs}`).digest("hex").slice(0, 12)}-${recipe}`;
}

/**
 * Makes a bootable system with systemd, sshd, and cron: no unzip, no wget, no host key. Each host is a copy.
 * @param distribution default: Debian 11, or a person's own root file system
 * @returns the directory of the root file system, read-only by convention
 */
export async function ensureBaseImage(distribution?: Distribution): Promise<string> {
  const own = distribution === undefined ? ownRootFileSystem() : undefined;
  const build = (dir: string) => (own ? takeOwn(own, dir) : makeDebian(distribution ?? "debian-11", dir));
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
  const sources = `deb ${debian} ${release} main\ndeb ${security} ${release}-security main\n`;
  await writeFile(join(root, "etc/apt/sources.list"), sources);
  await settle(root);
}

/** Takes a person's own root file system, and installs with its own apt what a lab host needs. */
async function takeOwn(own: string, dir: string): Promise<void> {
  const root = join(dir, "root");
  await step(`preparing the test hosts' image from ${own}`, async (progress) => {
    if (statSync(own).isDirectory()) await execa("cp", ["-a", "--reflink=auto", own, root]);
    else {
      await mkdir(root);
      await execa("tar", ["-xf", own, "--numeric-owner", "-C", root]);
    }
    if (!existsSync(join(root, "etc/os-release")) || !existsSync(join(root, "usr/bin/apt-get")))
      throw new Error(
        `PILLAR_LAB_ROOTFS: ${own} is no root file system with apt\n  found: no etc/os-release or no usr/bin/apt-get in it\n` +
          "  needed: a directory or tar archive such as Ubuntu's base archive (lab/README.md)",
      );
    await rm(join(root, "etc/resolv.conf"), { force: true });
    await copyFile("/etc/resolv.conf", join(root, "etc/resolv.conf"));
    await runInImage(root, ["apt-get", "-q", "update"], progress);
    await runInImage(root, ["apt-get", "-q", "-y", "install", "--no-install-recommends", ...packages], progress);
  });
  await settle(root);
}

/** Runs a command as root of an image, without booting it. */
export async function runInImage(root: string, argv: readonly string[], progress: Progress, input = ""): Promise<void> {
  const child = execa("chroot", [root, ...argv], { env: { DEBIAN_FRONTEND: "noninteractive" }, input, all: true });
  progress.follow(child.all);
  await child;
}

async function settle(root: string): Promise<void> {
  const write = (path: string, text: string) => writeFile(join(root, path), text);
  await mkdir(join(root, "etc/ssh/sshd_config.d"), { recursive: true });
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
