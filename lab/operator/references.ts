import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bundleNode } from "../doubles/bundle.ts";
import { defaultNodeSettings, type NodeReport } from "../doubles/chain/index.ts";
import { nodeBind } from "../hosts/machine.ts";
import { addOperatorAddress, chainPort, ip, operatorAddress, referenceAddress } from "../hosts/network.ts";

/** Returns the URL of the n-th reference for sync.references. */
export function referenceUrl(n: number): string {
  return `http://${referenceAddress(n)}:35997`;
}

/** Part of a lab that a reference needs. */
interface OperatorEnd {
  readonly name: string;
  readonly dir: string;
  chain<T>(method: string, path: string, body?: unknown): Promise<T>;
  startAtOperator(command: readonly string[]): Promise<unknown>;
}

/** Starts the n-th reference, from 0: a node double on the operator's machine, which the chain double controls. */
export async function startReference(lab: OperatorEnd, name: string, n: number): Promise<void> {
  const folder = join(lab.dir, "references");
  const program = join(folder, "go-node.cjs");
  await mkdir(join(folder, name), { recursive: true });
  await writeFile(program, await bundleNode());
  await ip(addOperatorAddress(lab.name, referenceAddress(n)));
  // A reference has run for long: it is synced, up to date and has its peers, whatever the defaults of the lab's nodes.
  const settings = { ...defaultNodeSettings, rate: 1e6, behind: 0, peerMs: 0, version: "v0.0.10" };
  await lab.chain("PATCH", `/nodes/${name}`, settings);
  const places = ["--data", join(folder, name), "--listen", referenceAddress(n)];
  const world = ["--chain", `http://${operatorAddress}:${chainPort}`, "--name", name];
  await lab.startAtOperator([nodeBind[0], program, ...places, ...world]);
}

export async function isReferenceSynced(lab: OperatorEnd, name: string): Promise<boolean> {
  return (await lab.chain<NodeReport[]>("GET", `/nodes/${name}/reports`)).at(-1)?.synced === true;
}
