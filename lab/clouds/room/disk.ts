import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeRoot } from "../../hosts/disk";
import { settle } from "../../hosts/personalize";
import type { MachineOrder } from "../machineRoom";
import { ensureCloudImage } from "./image";

/** Makes a server's disk from the clouds' image. Only the ssh keys in the order give access to it. */
export async function makeDisk(
  order: MachineOrder,
  directory: string,
  certificateFile: string,
  signal: AbortSignal,
): Promise<void> {
  await makeRoot(await ensureCloudImage(), directory, signal);
  const root = join(directory, "root");
  await settle(order.name, root, certificateFile);
  for (const [path, content] of Object.entries(seedFiles(order))) {
    const file = join(root, path);
    await mkdir(dirname(file), { recursive: true });
    // User data may contain the private host key.
    await writeFile(file, content, { mode: 0o600 });
  }
}

/** Returns the seed of cloud-init's NoCloud data source: file contents by path in the root file system. */
function seedFiles({ id, name, sshKeys, userData }: MachineOrder): Record<string, string> {
  const seed = "var/lib/cloud/seed/nocloud";
  const metaData = { "instance-id": `i-${id}`, "local-hostname": name, "public-keys": sshKeys };
  // JSON is valid YAML.
  return { [`${seed}/user-data`]: userData, [`${seed}/meta-data`]: JSON.stringify(metaData) };
}
