import { readFileSync } from "node:fs";
import { join } from "node:path";
import { asRoot } from "../ssh/root";

const copyAccess = ["lib/authorizedKeys.sh", "lib/copyAccess.sh"];
const read = (path: string) => readFileSync(join(__dirname, path), "utf8");

/** Returns shell functions for both hosts. Providers get them as an input, because they can't read its files. */
export function readOrchestratorLibrary(): string {
  const parts = ["archive", "copy", "moveSteps", "orchestratorFacts", "journal", "keyStore", "manifest", "verify"];
  return library([...copyAccess, ...parts.map((name) => `orchestrator/${name}.sh`)]);
}

export const readSupportLibrary = () => library(["orchestrator/verify.sh", "host/support.sh"]);

export function readRetirementLibrary(): string {
  const parts = [
    "node/configuredAddress.sh",
    "node/nodeStop.sh",
    "node/nodeMask.sh",
    "host/kernelHeaders.sh",
    "retirement/retirement.sh",
    "orchestrator/archive.sh",
    "orchestrator/journal.sh",
    "orchestrator/keyStore.sh",
    "orchestrator/manifest.sh",
  ];
  return library(parts);
}

export const readNodeReleaseLibrary = () =>
  library([
    "node/configuredAddress.sh",
    "node/nodeStop.sh",
    "lib/releaseDownload.sh",
    "node/nodeRelease.sh",
    "orchestrator/journal.sh",
  ]);

export function readChainCopyLibrary(): string {
  const parts = ["arrive.sh", "away.sh", "owner.sh", "progress.sh", "snapshot.sh", "travel.sh"].map((name) =>
    join("chainCopy", name),
  );
  return library(["node/configuredAddress.sh", "node/nodeStop.sh", ...copyAccess, ...parts]);
}

export const readStepOutputLibrary = () => library(["lib/stepOutput.sh"]);

export const readLoginKeyLibrary = () => ["lib/common.sh", "lib/authorizedKeys.sh"].map(read).join("\n");

const library = (parts: readonly string[]) =>
  [
    ...["lib/commands.sh", "lib/become.sh"].map(read),
    asRoot,
    ...["lib/commands.sh", "lib/common.sh", ...parts].map(read),
  ].join("\n");
