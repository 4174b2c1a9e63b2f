import { formatSyncAgain } from "../chain/nodeDatabases.ts";
import type { StackConfig } from "../config/config.ts";
import { commandsFor, someHostKey, type TextLine } from "../util/commands.ts";
import { formatDuration } from "../util/timeText.ts";
import type { SyncReason } from "./judgeObservation.ts";
import type { NodeStatus } from "./nodeStatus.ts";

/** Reasons of a node that is at the chain's tip, or that lacks peers: no other database would help. */
const otherCauses: readonly (SyncReason["kind"] | undefined)[] = [
  "fewPeers",
  "fresh",
  "clocksApart",
  "contradicted",
  "unwitnessed",
  "oldVersion",
  "chainUntold",
];

/**
 * Returns the number with which the operator confirms a new copy of the chain (pillar-host:sync.copyAgain): the height
 * at which the node stands, so that no later height fits; of a node without an answer the second of the host's last
 * proof, which each copy renews.
 */
export function computeCopyWord(height: number | undefined, syncedAt: string | undefined): number {
  return height ?? Math.floor(Date.parse(syncedAt ?? "") / 1000);
}

type Config = Pick<StackConfig, "stack" | "ssh" | "node" | "sync" | "oldHost">;

/**
 * Returns the ways back for a host that has passed its gate and is not synced now, or how to withdraw a confirmation
 * that is not needed. `syncedAt`: the host's mark of its last proof; undefined if the host did not show it.
 */
export function formatWaysBack(
  { stack, ssh, node, sync, oldHost }: Config,
  address: string,
  { synced, known, reason, currentHeight }: Pick<NodeStatus, "synced" | "known" | "reason" | "currentHeight">,
  syncedAt: string | undefined,
): TextLine[] {
  const { set, remove, status, up } = commandsFor(stack);
  if (synced && sync.copyAgain !== undefined)
    return [`The confirmation sync.copyAgain is not needed any more. Remove it: ${remove("sync.copyAgain")}`];
  const word = computeCopyWord(known ? currentHeight : undefined, syncedAt);
  if (synced || syncedAt === undefined || otherCauses.includes(reason) || Number.isNaN(word)) return [];
  const syncAgain = { command: `  ${formatSyncAgain({ ...ssh, address }, node)}` };
  if (reason === "otherChain")
    return ["Only if an explorer shows that the node's momentum is the wrong one, sync again, for days:", syncAgain];
  const what = known ? `height ${currentHeight} does not change` : "the node does not answer";
  return [
    `If ${what} for ${formatDuration(sync.stallMinutes * 60_000)}, and ${status()} shows no other cause, the node's database`,
    "may be damaged, as by a power cut. Two ways back (docs/troubleshooting.md, A damaged database). In minutes, by a copy of the",
    "chain from a synced host of yours, whose node keeps running:",
    ...(oldHost
      ? []
      : [
          { command: `  ${set("oldHost.address", "ADDRESS")}` },
          { command: `  ${set("oldHost.hostKey", someHostKey)}` },
        ]),
    ...(sync.from === "oldHost" ? [] : [{ command: `  ${set("sync.from", "oldHost")}` }]),
    { command: `  ${set("sync.copyAgain", word)} && ${up}` },
    "In days, from the network:",
    syncAgain,
  ];
}
