import { createNodeTarget } from "../../core/chain/configuredNode.ts";
import { isAwaited, isOffered, type LastRun } from "../../core/journey/outputs.ts";
import { createWitnessSources } from "../../core/sync/gateSettings.ts";
import { type NodeStatus, readNodeStatus } from "../../core/sync/nodeStatus.ts";
import { commandsFor } from "../../core/util/commands.ts";
import { checkNodeVersion } from "../check/checkNodeVersion.ts";
import type { CheckRow } from "../check/checkRow.ts";
import { formatHolder, type LockStatus } from "../pulumi/locks.ts";
import { openStack, type StackInfo } from "../status/openStack.ts";

/** Prints a stack's next step. @returns the exit code that --help lists. @throws Refusal */
export async function next(fullName: string, { json }: { json?: boolean }): Promise<number> {
  const source = await openStack(fullName);
  const [held, node, versions] = await Promise.all([
    source.readLocks(),
    readNode(source),
    source.state.isBegun ? checkNodeVersion(source) : [],
  ]);
  const { stack } = source;
  const lines = [...decideNextStep({ ...source, held, node }), ...listVersionsToInstall(versions)];
  console.log(json ? JSON.stringify({ stack, nextStep: lines }, undefined, 2) : lines.join("\n"));
  return 0;
}

/** Returns what to install if the node needs a newer version, now or soon. */
export const listVersionsToInstall = (rows: readonly CheckRow[]): readonly string[] =>
  rows.flatMap(({ isInstallNeeded, lines }) => (isInstallNeeded ? lines : []));

/** Reads the node if the last run offered its producer address, which may be printed only while the node is synced. */
async function readNode({ config, state: { last }, address, hostKey }: StackInfo) {
  if (!isOffered(last)) return undefined;
  if (address === undefined || hostKey === undefined) return undefined;
  return readNodeStatus(createNodeTarget(config, address, hostKey), createWitnessSources(config));
}

export interface NextStepInput extends Pick<StackInfo, "stack" | "config" | "state"> {
  /** Holders of the stack's lock; undefined if the backend does not show them. */
  readonly held: readonly LockStatus[] | undefined;
  /** The node's present state; undefined if it was not read. */
  readonly node: Pick<NodeStatus, "synced" | "known" | "why"> | undefined;
}

/** The point that a stack has reached: `next` prints the step that follows, `migrate` runs it. */
type Gate = "runAtWork" | "cutOff" | "nothingMade" | "unfinished" | "notSynced" | "runEnded";

export function decideGate({ state, held = [], node }: NextStepInput): Gate {
  if (held.some(({ holder }) => holder === "lives")) return "runAtWork";
  if (held.length > 0 || state.pending.length > 0) return "cutOff";
  if (!state.isBegun) return "nothingMade";
  if (!state.last.finished) return "unfinished";
  return isOffered(state.last) && node?.synced !== true ? "notSynced" : "runEnded";
}

/** Formats the operator's next step: the last run's step while it still applies, else how to continue. */
export function decideNextStep(situation: NextStepInput): string[] {
  const { stack, config, state, node, held = [] } = situation;
  const { up, resume, check, report, status } = commandsFor(stack);
  switch (decideGate(situation)) {
    case "runAtWork": {
      const working = held.find(({ holder }) => holder === "lives");
      const who = working ? ` (${formatHolder(working.lock)})` : "";
      return [`Nothing to do: a run is at work on ${stack}${who}.`, `To follow that run: ${status("--watch")}`];
    }
    case "cutOff":
      return ["The last run was cut off. To continue that run:", `  ${resume()}`];
    case "nothingMade":
      return config.lifecycle === "retiring"
        ? [`${stack} has no resources: they were destroyed, or never made. Its event log: ${report()}`]
        : [
            "Nothing was made yet. Check first; this changes nothing:",
            `  ${check()}`,
            "Then:",
            `  ${up}`,
            "The sync takes hours or days. You may close the terminal: the same command continues.",
          ];
    case "unfinished": {
      const isSyncing = state.wait?.syncedAt === undefined && (state.last.isAwaiting || state.wait !== undefined);
      const what = isSyncing
        ? "The node is syncing, and no run waits for it now. To wait until the producer address is shown:"
        : "The last run did not finish. Do what it said, then continue:";
      return [what, `  ${up}`, `Status: ${status()}`];
    }
    case "notSynced": {
      // An address earns nothing while its node is behind.
      const now = node && `is ${node.known ? "not synced" : "not reachable"} now (${node.why})`;
      return [
        `Do not touch the wallet: the node of ${stack} ${now ?? "was not asked"}.`,
        "The producer address is shown again once the node is synced:",
        `  ${up}`,
      ];
    }
    case "runEnded":
      return [...describeAdoption(situation), ...describeLastRun(stack, state.last)];
  }
}

/** Puts the adoption before the wallet, because `move` needs a stack for the old host. */
function describeAdoption({ stack, config, state: { last } }: NextStepInput): string[] {
  const oldHost = config.orchestrator.move ? undefined : config.oldHost?.address;
  if (oldHost === undefined || !isOffered(last)) return [];
  return [
    "Before you use the wallet, adopt the old host if it has no stack yet; nothing on it changes. OLD is a name of your choice:",
    `  ${commandsFor("OLD").adopt(oldHost, stack)}`,
    `Or let one command run every step: ${commandsFor(stack).migrate("OLD")}`,
  ];
}

function describeLastRun(stack: string, last: LastRun): string[] {
  const title = `Next step as of the last run (to check again: ${commandsFor(stack).up}):`;
  return [...(isAwaited(last) ? [title] : []), ...(last.nextStep ?? [])];
}
