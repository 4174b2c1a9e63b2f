import { copyFile, cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { givenFiles, givenNodeDirectory } from "../doubles/controller/givenNode.ts";
import { daemonPath, unitText } from "../doubles/controller/service.ts";
import { onHost } from "../hosts/onHost.ts";
import type { LabHost } from "../lab.ts";
import type { RealNetwork } from "./realNetwork.ts";

const dataDir = "root/.znn";

/** Sets up a network's node as a running service of a host, as an operator has had it for long. */
export async function setUpRealNode(network: RealNetwork, name: string, host: LabHost): Promise<void> {
  const at = (path: string) => join(host.root, path);
  await copyFile(network.znnd, at(daemonPath));
  await cp(network.node(name).data, at(dataDir), { recursive: true });
  await writeFile(at(`${dataDir}/config.json`), await configOf(network, name));
  await writeFile(at("etc/systemd/system/go-node.service"), unitText);
  await setClocks(network, host);
  await onHost(host, "systemctl enable -q --now go-node");
}

/** Puts a network's node, not yet started, on a host for the controller's double to deploy. */
export async function giveRealNode(network: RealNetwork, name: string, host: LabHost): Promise<void> {
  const { data } = network.node(name);
  const directory = join(host.root, givenNodeDirectory);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await copyFile(network.znnd, join(directory, givenFiles.executable));
  await copyFile(join(data, "genesis.json"), join(directory, givenFiles.genesis));
  await copyFile(join(data, "wallet/producer"), join(directory, givenFiles.keyStore));
  await writeFile(join(directory, givenFiles.config), await configOf(network, name), { mode: 0o600 });
  await setClocks(network, host);
}

/** Returns a node's config.json, with the paths of a host. */
async function configOf(network: RealNetwork, name: string): Promise<string> {
  const config = JSON.parse(await readFile(join(network.node(name).data, "config.json"), "utf8"));
  const paths = { DataPath: `/${dataDir}`, WalletPath: `/${dataDir}/wallet`, GenesisFile: `/${dataDir}/genesis.json` };
  return JSON.stringify({ ...config, ...paths }, undefined, 4);
}

/** Sets the node's clocks in a drop-in: the unit itself is the controller's. */
async function setClocks({ env }: RealNetwork, host: LabHost): Promise<void> {
  const directory = join(host.root, "etc/systemd/system/go-node.service.d");
  const lines = Object.entries(env).map(([name, value]) => `Environment=${name}=${value}\n`);
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "50-lab-clocks.conf"), `[Service]\n${lines.join("")}`);
  await host.run("systemctl daemon-reload");
}
