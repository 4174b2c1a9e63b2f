import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { asRoot } from "../ssh/root";

const copyRight = ["authorizedKeys.sh", "copyRight.sh"];
const read = (path: string) => readFileSync(join(__dirname, path), "utf8");

/**
 * The library of functions that move a signer: one text, an input of the providers that run them on both hosts, because
 * a provider can't read the program's files. Files of `orchestrator/` define functions and do nothing by themselves.
 */
export function orchestratorLibrary(): string {
  const parts = readdirSync(join(__dirname, "orchestrator"))
    .filter((name) => name.endsWith(".sh"))
    .sort();
  return library([...copyRight, ...parts.map((name) => join("orchestrator", name))]);
}

/** The library of functions that retire a host: what is asked of it, its last backup, its end. An input too. */
export function retirementLibrary(): string {
  const parts = [
    "configuredAddress.sh",
    "nodeStop.sh",
    "nodeMask.sh",
    "kernelHeaders.sh",
    "retirement.sh",
    "orchestrator/archive.sh",
    "orchestrator/journal.sh",
    "orchestrator/keyStore.sh",
    "orchestrator/manifest.sh",
  ];
  return library(parts);
}

/** The library of functions that upgrade a running node. An input too. */
export const nodeReleaseLibrary = () =>
  library(["configuredAddress.sh", "nodeStop.sh", "release.sh", "nodeRelease.sh", "orchestrator/journal.sh"]);

export function chainCopyLibrary(): string {
  const parts = ["arrive.sh", "away.sh", "owner.sh", "progress.sh", "snapshot.sh", "travel.sh"].map((name) =>
    join("chainCopy", name),
  );
  return library(["configuredAddress.sh", "nodeStop.sh", ...copyRight, ...parts]);
}

/** The library that shows what a step at work prints. */
export const stepOutputLibrary = () => library(["stepOutput.sh"]);

export const loginKeyLibrary = () => ["lib.sh", "authorizedKeys.sh"].map(read).join("\n");

const library = (parts: readonly string[]) =>
  [...["commands.sh", "become.sh"].map(read), asRoot, ...["commands.sh", "lib.sh", ...parts].map(read)].join("\n");
