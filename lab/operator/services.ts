import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import net from "node:net";
import { join } from "node:path";
import { serveChain } from "../doubles/chain/index.ts";
import {
  buildOrchestratorRelease,
  buildRelease,
  officialName,
  type ReleaseOptions,
  releaseHashFile,
  serveReleases,
} from "../doubles/release.ts";
import { serveVault } from "../doubles/vault.ts";
import { aptPort, chainPort, cloudPorts, operatorAddress, releasePorts, vaultPort } from "../hosts/network.ts";
import { onceARun } from "../testRun/onceARun.ts";

const releaseOf = (options: ReleaseOptions) => onceARun(["release", options], () => buildRelease(options));

/**
 * Starts the services on the operator's machine of a lab: the chain double, the release server, the double of Vault,
 * and the relays to the apt proxy and to the clouds. Runs inside the operator's namespace; tests reach it from outside
 * through socket files. Takes LAB_DIRECTORY as its argument (lab/util/labProgram.ts), and writes `ready` there once all
 * of them answer.
 */
async function main(dir: string): Promise<void> {
  const [http, https] = releasePorts;
  const official = await buildOrchestratorRelease();
  await writeFile(releaseHashFile(dir), createHash("sha256").update(official).digest("hex"));
  await serveChain({ host: operatorAddress, port: chainPort });
  await serveVault({ host: operatorAddress, port: vaultPort });
  await serveReleases({
    host: operatorAddress,
    port: http,
    tls: {
      port: https,
      key: await readFile(join(dir, "tls.key"), "utf8"),
      cert: await readFile(join(dir, "tls.crt"), "utf8"),
    },
    releases: {
      "node-controller": await releaseOf({ menu: "v0.0.4", version: "0.0.4" }),
      "znn-controller": await releaseOf({ menu: "v0.0.4", version: "0.0.4", executable: "znn-controller" }),
      "node-controller-v0.0.1": await releaseOf({ menu: "v0.0.1", version: "0.0.1" }),
      [officialName]: official,
    },
  });
  await relay({ host: operatorAddress, port: aptPort }, { path: join(dir, "apt.sock") });
  for (const [name, port] of Object.entries(cloudPorts))
    await relay({ host: "127.0.0.1", port }, { path: join(dir, `${name}.sock`) });
  await relay({ path: join(dir, "chain.sock") }, { host: operatorAddress, port: chainPort });
  await relay({ path: join(dir, "releases.sock") }, { host: operatorAddress, port: http });
  await writeFile(join(dir, "ready"), "");
}

type Address = { readonly path: string } | { readonly host: string; readonly port: number };

async function relay(from: Address, to: Address): Promise<void> {
  const server = net.createServer((near) => {
    const far = net.connect(to);
    near.pipe(far).pipe(near);
    near.on("error", () => far.destroy());
    far.on("error", () => near.destroy());
  });
  await once(server.listen(from), "listening");
}

const dir = process.argv[2];
if (!dir) throw new Error("usage: lab/operator/services.ts LAB_DIRECTORY");
void main(dir);
