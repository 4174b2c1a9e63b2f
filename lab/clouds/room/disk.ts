import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeRoot } from "../../hosts/disk";
import { settle } from "../../hosts/personalize";
import type { MachineOrder } from "../machineRoom";
import { ensureCloudImage } from "./image";
import { seedFiles } from "./seed";

/** Makes the disk of a server from the clouds' image: nobody has a key to it but those whom its order names. */
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
    // It may hold the private host key.
    await writeFile(file, content, { mode: 0o600 });
  }
}
