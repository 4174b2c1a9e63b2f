import type { NodeStatus } from "../../core/sync/nodeStatus";
import { commandsFor } from "../../core/util/commands";
import { formatHolder, type LockStatus } from "../pulumi/locks";
import type { LastRunOutputs, StackState } from "../pulumi/stackState";
import type { StackView } from "../status/stackView";

export interface NextStepInput {
  readonly stack: string;
  readonly lifecycle: StackView["lifecycle"];
  readonly state: StackState;
  /** Holders of the stack's lock; undefined if the backend does not tell. */
  readonly held: readonly LockStatus[] | undefined;
  /** The node's present state; undefined if it was not read. */
  readonly node: Pick<NodeStatus, "synced" | "known" | "why"> | undefined;
}

/** Formats the operator's next step: the last run's step while it still applies, else how to continue. */
export function decideNextStep(situation: NextStepInput): string[] {
  const { stack, lifecycle, state, held = [] } = situation;
  const working = held.find(({ holder }) => holder === "lives");
  if (working)
    return [
      `Nothing: a run is at work on ${stack} (${formatHolder(working.lock)}).`,
      `How far it is: ${commandsFor(stack).status("--watch")}`,
    ];
  if (held.length > 0 || state.pending.length > 0)
    return ["The last run was cut off. To go on from where it was:", `  ${commandsFor(stack).resume()}`];
  if (!state.isBegun) return describeFirstStep(stack, lifecycle);
  if (state.lastRun === undefined) return describeUnfinishedRun(stack, state);
  if (mayOfferAddress(state.lastRun) && situation.node?.synced !== true) return warnOffWallet(situation);
  if (state.lastRun.isAwaited)
    return [`As the last run saw it; ${commandsFor(stack).up} looks again:`, ...state.lastRun.nextStep];
  return [...state.lastRun.nextStep];
}

/** True if the last run's text may make the operator register an address that earns only with a synced node. */
export function mayOfferAddress({
  producerAddress,
  isRegistered: registered,
  isOffered: offered,
}: LastRunOutputs): boolean {
  return producerAddress !== undefined && !registered && offered;
}

function describeFirstStep(stack: string, lifecycle: StackView["lifecycle"]): string[] {
  if (lifecycle === "retiring")
    return [
      `Nothing is left of ${stack}, or nothing was begun. What was recorded of it: ${commandsFor(stack).report()}`,
    ];
  return [
    "Nothing was made yet. See that everything is in place; this changes nothing:",
    `  ${commandsFor(stack).check()}`,
    "Then:",
    `  ${commandsFor(stack).up}`,
    "The sync takes hours or days. The terminal may be closed meanwhile; the same command goes on.",
  ];
}

function describeUnfinishedRun(stack: string, { wait }: StackState): string[] {
  const waits = wait !== undefined && wait.syncedAt === undefined;
  return [
    waits
      ? "The node syncs, and nobody waits for it now. To wait on, until the producer address is shown:"
      : "The last run ended with an error. Do what it said, then go on from there:",
    `  ${commandsFor(stack).up}`,
    `How it stands: ${commandsFor(stack).status()}`,
  ];
}

/** Warns the operator off: an address that is registered while its node is behind earns nothing. */
function warnOffWallet({ stack, node }: NextStepInput): string[] {
  const seen =
    node === undefined ? "was not looked at" : `is ${node.known ? "not synced" : "not reachable"} now (${node.why})`;
  return [
    `Do not touch the wallet: the node of ${stack} ${seen}.`,
    "Its producer address is shown again once the node is synced:",
    `  ${commandsFor(stack).up}`,
  ];
}
