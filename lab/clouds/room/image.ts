import { appendFile, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { operatorAddress, releaseHost } from "../../hosts/network";
import { runInImage } from "../../images/baseImage";
import { ensureLayer } from "../../images/imageLayer";
import type { Progress } from "../../util/progress";

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
export function ensureCloudImage(): Promise<string> {
  return ensureLayer({
    name: "cloud-image",
    version,
    title: "building the image of the clouds' servers (cloud-init, half a minute)",
    build,
  });
}

async function build(root: string, progress: Progress): Promise<void> {
  for (const args of [["update"], ["install", "-y", "--no-install-recommends", "cloud-init"]])
    await runInImage(root, ["apt-get", ...args], progress);
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
