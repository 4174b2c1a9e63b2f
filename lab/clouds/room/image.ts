import { appendFile, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { operatorAddress, releaseHost } from "../../hosts/network.ts";
import { runInImage } from "../../images/baseImage.ts";
import { ensureLayer } from "../../images/imageLayer.ts";
import type { Progress } from "../../util/progress.ts";

/** Increase this when the recipe below changes. It is part of the cache key, together with the base image's version. */
const version = "2";

/** Settings that the images of both clouds share: root can log in, and apt uses the image's own mirrors. */
const cloudConfig = `datasource_list: [NoCloud, None]
network: {config: disabled}
locale: C.UTF-8
apt: {preserve_sources_list: true}
disable_root: false
system_info: {default_user: {name: root, gecos: root, groups: [], sudo: false, lock_passwd: true}}
`;

/**
 * Builds the base image with cloud-init. It is a separate image, so that hosts without a cloud stay small and copy no
 * Python.
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
  // Upgraded, as a provider's image of this month: an upgrade of each server costs half a minute of processor.
  const install = ["install", "-y", "--no-install-recommends", "cloud-init"];
  for (const args of [["update"], ["upgrade", "-y"], install]) await runInImage(root, ["apt-get", ...args], progress);
  // A provider's image has no package lists, and each server would copy 60 MB of them.
  for (const path of ["var/lib/apt/lists", "var/cache/apt/archives"]) await emptied(join(root, path));
  await writeFile(join(root, "etc/cloud/cloud.cfg.d/99_lab.cfg"), cloudConfig);
  // cloud-init rewrites /etc/hosts from this template if the user data says manage_etc_hosts.
  await appendFile(join(root, "etc/cloud/templates/hosts.debian.tmpl"), `${operatorAddress} ${releaseHost}\n`);
  // The lab configures the network before the machine boots.
  await writeFile(join(root, "etc/default/networking"), "CONFIGURE_INTERFACES=no\n");
}

async function emptied(directory: string): Promise<void> {
  await rm(directory, { recursive: true });
  await mkdir(join(directory, "partial"), { recursive: true });
}
