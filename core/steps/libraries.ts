import { readFileSync } from "node:fs";
import { join } from "node:path";
import { nodeDatabases } from "../chain/nodeDatabases.ts";
import { asRoot } from "../ssh/root.ts";
import { formatAssignments } from "../ssh/shellWords.ts";

/** Returns the text of shell files, joined in this order. */
export const readShell = (...parts: readonly string[]) =>
  parts.map((part) => readFileSync(join(import.meta.dirname, `${part}.sh`), "utf8")).join("\n");

const filesOf = (folder: string, ...names: readonly string[]) => names.map((name) => `${folder}/${name}`);
const copyAccess = filesOf("lib", "authorizedKeys", "copyAccess");

/** Returns shell functions for a host, behind those that become root there. */
const library = (...parts: readonly string[]) =>
  [
    readShell("lib/commands", "lib/become"),
    asRoot,
    readShell("lib/commands", "lib/common", "lib/lease", ...parts),
  ].join("\n");

const facts = ["lib/facts", "node/configuredAddress", ...filesOf("orchestrator", "journal", "keyShares", "keyStore")];

export const readFactsLibrary = () => library(...facts);

export const readOrchestratorLibrary = () =>
  library(
    ...facts,
    ...copyAccess,
    ...filesOf("orchestrator", "archive", "copy", "moveOnHost", "survey", "manifest", "verify"),
  );

export const readRetirementLibrary = () =>
  library(
    ...facts,
    ...filesOf("node", "nodeStop", "nodeMask"),
    ...["host/kernelHeaders", "retirement/retirement"],
    ...filesOf("orchestrator", "archive", "manifest"),
  );

export const readNodeReleaseLibrary = () =>
  library(
    ...filesOf("node", "configuredAddress", "nodeStop", "nodeRelease"),
    ...["lib/releaseDownload", "orchestrator/journal"],
  );

export const readChainCopyLibrary = () =>
  library(...facts, "node/nodeStop", ...copyAccess, ...filesOf("chainCopy", "arrive", "owner", "snapshot", "travel")) +
  formatAssignments({ chain_databases: nodeDatabases });

export const readStepOutputLibrary = () => library("lib/stepOutput");
