import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import http from "node:http";
import { basename, join } from "node:path";
import { createDigitalOcean } from "./digitalocean.ts";
import { createHetzner } from "./hetzner.ts";
import { cloudsReady, cloudTokens } from "./names.ts";
import { LabMachineRoom } from "./room/index.ts";

/**
 * Serves the clouds' APIs on socket files in a lab's directory. It runs in a process outside the lab's namespaces,
 * because servers are made from there. lab/operator/services.ts forwards the sockets to the operator's end of the
 * network.
 */
async function main(dir: string): Promise<void> {
  const room = new LabMachineRoom({ name: basename(dir), dir });
  const clouds = {
    hetzner: createHetzner({ room, tokens: { [cloudTokens.hetzner]: "write" } }),
    digitalocean: createDigitalOcean({ room, tokens: { [cloudTokens.digitalocean]: "write" } }),
  };
  for (const [name, { handler }] of Object.entries(clouds))
    await once(http.createServer(handler).listen(join(dir, `${name}.sock`)), "listening");
  await writeFile(join(dir, cloudsReady), "");
}

void main(process.argv[2] ?? "");
