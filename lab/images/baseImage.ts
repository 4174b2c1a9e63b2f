import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { appendFile, copyFile, mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { execa } from "execa";
import { cached } from "../util/cache";
import { type Progress, step } from "../util/progress";
import { findMirror } from "./mirror";

/** Debian releases that a host can have, by their names in /etc/os-release, with their code names. */
const debianReleases = { "debian-11": "bullseye", "debian-12": "bookworm", "debian-13": "trixie" } as const;
export type Distribution = keyof typeof debianReleases;

/** Increase this when the recipe below changes. It is part of the cache key. */
const recipe = "4";

const packages = [
  ...["systemd", "systemd-sysv", "dbus", "openssh-server", "cron", "sudo"],
  ...["iproute2", "procps", "ca-certificates", "curl", "netbase"],
];

/**
 * Returns the directory of the user's own root file system (`PILLAR_LAB_ROOTFS`). It is used for hosts that name no
 * release.
 */
export function ownRootFileSystem(): string | undefined {
  return process.env.PILLAR_LAB_ROOTFS ? resolve(process.env.PILLAR_LAB_ROOTFS) : undefined;
}

/** Returns the cache key of a base image. The images on top of it include it in their own keys. */
export function baseImageVersion(distribution?: Distribution): string {
  const own = distribution === undefined ? ownRootFileSystem() : undefined;
  if (own === undefined) return `${distribution ?? "debian-11"}-${recipe}`;
  return `own-${createHash("sha256").update(own).digest("hex").slice(0, 12)}-${recipe}`;
}

/**
 * Makes a bootable Debian with systemd, sshd, and cron, like a provider's image: no unzip, no wget, no host key. Each
 * host is a copy.
 * @param distribution default: Debian 11, or the user's own root file system
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
  await writeFile(
    join(root, "etc/apt/sources.list"),
    `deb ${debian} ${release} main\ndeb ${security} ${release}-security main\n`,
  );
  await settle(root);
}

/** Copies the user's own root file system, and installs the packages that a lab host needs with its own apt. */
async function takeOwn(own: string, dir: string): Promise<void> {
  if (!existsSync(join(own, "etc/os-release")))
    throw new Error(
      `PILLAR_LAB_ROOTFS: ${own} holds no root file system.\n  found: no etc/os-release in it\n` +
        "  needed: unpack one there, such as Ubuntu's base archive (lab/README.md shows how), and try again",
    );
  const root = join(dir, "root");
  await step(`preparing the test hosts' image from ${own}`, async (progress) => {
    await execa("cp", ["-a", "--reflink=auto", own, root]);
    await copyFile("/etc/resolv.conf", join(root, "etc/resolv.conf"));
    await runInImage(root, ["apt-get", "-q", "update"], progress);
    await runInImage(root, ["apt-get", "-q", "-y", "install", "--no-install-recommends", ...packages], progress);
  });
  await settle(root);
}

async function settle(root: string): Promise<void> {
  const write = (path: string, text: string) => writeFile(join(root, path), text);
  await mkdir(join(root, "etc/ssh/sshd_config.d"), { recursive: true });
  await write("etc/ssh/sshd_config.d/lab.conf", "UseDNS no\n");
  await appendFile(join(root, "etc/default/locale"), "LANG=C.UTF-8\n");
  // dpkg does not wait for the disk: other jobs share the machine below, and a lab host's disk need not survive a power
  // cut.
  await write("etc/dpkg/dpkg.cfg.d/lab", "force-unsafe-io\n");
  await forgetIdentity(root);
}

/** Runs a command as root of an image, without booting it. */
export async function runInImage(root: string, argv: readonly string[], progress: Progress, input = ""): Promise<void> {
  const child = execa("chroot", [root, ...argv], { env: { DEBIAN_FRONTEND: "noninteractive" }, input, all: true });
  progress.follow(child.all);
  await child;
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
