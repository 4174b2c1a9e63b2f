import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import http from "node:http";
import { basename, join } from "node:path";
import { type Clouds, doubles } from "./doubles";
import { cloudsReady } from "./names";
import { LabMachineRoom } from "./room";

/**
 * Serves clouds' APIs on socket files in a lab's directory. It runs in a process outside the lab's namespaces, because
 * servers are made from there. lab/operator/services.ts forwards the sockets to the operator's end of the network.
 */
export async function serveClouds(dir: string, clouds: Clouds): Promise<void> {
  const room = new LabMachineRoom({ name: basename(dir), dir });
  for (const [name, cloud] of Object.entries(clouds)) {
    await once(http.createServer(cloud(room)).listen(join(dir, `${name}.sock`)), "listening");
  }
  await writeFile(join(dir, cloudsReady), "");
}

const [, started, dir] = process.argv;
if (started === import.meta.filename && dir) void serveClouds(dir, doubles);
