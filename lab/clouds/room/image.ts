import { appendFile, copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { baseImageVersion, ensureBaseImage } from "../../baseImage";
import { cached } from "../../cache";
import { operatorAddress, releaseHost } from "../../hosts/network";
import { step } from "../../progress";

/** Raise it when the recipe below changes: with the base image's, it keys the cache. */
const version = "1";

/** As the images of both clouds have it: root logs in, and the cloud's own mirrors are set. */
const cloudConfig = `datasource_list: [NoCloud, None]
network: {config: disabled}
locale: C.UTF-8
apt: {preserve_sources_list: true}
disable_root: false
system_info: {default_user: {name: root, gecos: root, groups: [], sudo: false, lock_passwd: true}}
`;

/**
 * The base image with cloud-init, as a cloud boots it: a second image, so that hosts without a cloud stay as small and
 * as blank as they are, and pay no Python in each copy.
 *
 * @returns the directory of the root file system, read-only by convention
 */
export async function ensureCloudImage(): Promise<string> {
  const base = await ensureBaseImage();
  return join(await cached("cloud-image", `${baseImageVersion}-${version}`, (dir) => build(base, dir)), "root");
}

async function build(base: string, dir: string): Promise<void> {
  const root = join(dir, "root");
  await execa("cp", ["-a", "--reflink=auto", base, root]);
  // The base image has the one of the day when it was made.
  await copyFile("/etc/resolv.conf", join(root, "etc/resolv.conf"));
  await step("building the image of the clouds' servers (cloud-init, half a minute)", async (progress) => {
    const env = { DEBIAN_FRONTEND: "noninteractive" };
    for (const args of [["update"], ["install", "-y", "--no-install-recommends", "cloud-init"]]) {
      const child = execa("chroot", [root, "apt-get", ...args], { env, all: true });
      progress.follow(child.all);
      await child;
    }
  });
  // A provider's image has no lists, and they are 60 MB to copy for each server.
  for (const path of ["var/lib/apt/lists", "var/cache/apt/archives"]) await emptied(join(root, path));
  await writeFile(join(root, "etc/cloud/cloud.cfg.d/99_lab.cfg"), cloudConfig);
  // Written anew by user data that says manage_etc_hosts.
  await appendFile(join(root, "etc/cloud/templates/hosts.debian.tmpl"), `${operatorAddress} ${releaseHost}\n`);
  // The network is there before the machine is.
  await writeFile(join(root, "etc/default/networking"), "CONFIGURE_INTERFACES=no\n");
}

async function emptied(directory: string): Promise<void> {
  await rm(directory, { recursive: true });
  await mkdir(join(directory, "partial"), { recursive: true });
}
