import { type Commands, commandsFor } from "../util/commands.ts";
import { formatUtcMinute } from "../util/timeText.ts";
import type { Lock } from "./stackFacts.ts";

/** Formats a lock's holder: `process 4242 of root on host1, since 2026-11-21 14:49 UTC`. */
export function formatHolder({ user, host, pid, since }: Lock): string {
  return `process ${pid} of ${user} on ${host}, since ${Number.isNaN(since) ? "an unknown time" : formatUtcMinute(since)}`;
}

export const formatActiveRun = (stack: string, lock: Lock): string[] => [
  `Nothing to do: a run is at work on ${stack} (${formatHolder(lock)}).`,
  `To follow that run: ${commandsFor(stack).status("--watch")}`,
];

export const formatCutOff = ({ resume }: Commands): string[] => [
  "The last run was cut off. To continue that run:",
  `  ${resume()}`,
];

export const formatUnfinished = ({ up, status }: Commands, isSyncing: boolean): string[] => [
  isSyncing
    ? "The node is syncing, and no run waits for it now. To wait until the producer address is shown:"
    : "The last run did not finish. Do what it said, then continue:",
  `  ${up}`,
  `Status: ${status()}`,
];

export const formatNextStepWithoutServer = (stack: string): string[] => [
  `The server no longer exists. To remove what else this stack created: ${commandsFor(stack).destroy}`,
];
