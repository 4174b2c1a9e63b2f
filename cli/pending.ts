import type { Pending } from "./stackState";

/** Look before they act, so they may be begun again: steps on a host, and what only waits or reads. */
const repeatable = [/^command:remote:(Command|CopyToRemote)$/, /^pulumi-nodejs:dynamic\/pillar-host:\w+$/];

/** Creations that were cut off: those that may simply run again, and those that may have made something (pure). */
export function sortPending(pending: readonly Pending[]): { again: readonly Pending[]; doubtful: readonly Pending[] } {
  const creations = pending.filter(({ operation }) => operation === "creating");
  const isRepeatable = ({ type }: Pending) => repeatable.some((pattern) => pattern.test(type));
  return { again: creations.filter(isRepeatable), doubtful: creations.filter((one) => !isRepeatable(one)) };
}
