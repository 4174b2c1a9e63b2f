import { createNodeTarget } from "../../core/chain/configuredNode";
import { createWitnessSources } from "../../core/sync/gateSettings";
import { readNodeStatus } from "../../core/sync/nodeStatus";
import { checkNodeVersion } from "../check/checkNodeVersion";
import { openStack, type StackInfo } from "../status/openStack";
import { decideNextStep, mayOfferAddress } from "./nextLines";

/** Prints a stack's next step. @returns the exit code that --help lists. @throws Refusal */
export async function next(fullName: string, { json }: { json?: boolean }): Promise<number> {
  const source = await openStack(fullName);
  const [held, node, versions] = await Promise.all([
    source.readLocks(),
    readNode(source),
    listVersionsToInstall(source),
  ]);
  const { stack, state, config } = source;
  const oldHost = config.orchestrator.migrateFrom ? undefined : config.sync.oldHost?.address;
  const lines = [...decideNextStep({ stack, lifecycle: config.lifecycle, state, held, node, oldHost }), ...versions];
  console.log(json ? JSON.stringify({ stack, nextStep: lines }, undefined, 2) : lines.join("\n"));
  return 0;
}

/** Returns what to install if the node needs a newer version, now or soon. */
async function listVersionsToInstall(source: StackInfo): Promise<readonly string[]> {
  if (!source.state.isBegun) return [];
  const lines = (await checkNodeVersion(source)).flatMap(({ lines }) => lines);
  return lines.some((line) => line.startsWith("  install ")) ? lines : [];
}

/** Reads the node if the last run offered its producer address, which may be printed only while the node is synced. */
async function readNode({ config, state: { lastRun: shown }, address, hostKey }: StackInfo) {
  if (shown === undefined || !mayOfferAddress(shown)) return undefined;
  if (address === undefined || hostKey === undefined) return undefined;
  return readNodeStatus(createNodeTarget(config, address, hostKey), createWitnessSources(config));
}
