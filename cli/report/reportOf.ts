import type { Lines } from "./lines";
import { openOf } from "./open";
import { moveReports, ofEvent, switchesOf, syncsOf } from "./parts";
import { phasesOf } from "./phases";
import type { Report } from "./reportTypes";
import { happenedAt, scopeOf, timeOf } from "./scope";
import { timelineOf } from "./timeline";

/** Tells a stack's migration from the lines of its record (pure). @returns undefined where they do not know the stack */
export function reportOf(lines: Lines, stack: string): Report | undefined {
  const scope = scopeOf(lines, stack);
  if (!scope) return undefined;
  const times = [...scope.events, ...scope.moves].sort((a, b) => timeOf(a) - timeOf(b)).map(happenedAt);
  return {
    ...{ stack, pillar: scope.pillar, stacks: scope.stacks },
    from: times[0] ?? "",
    to: times.at(-1) ?? "",
    overrides: ofEvent(scope, "override").map(({ at, stack, details }) => ({ at, stack, ...details })),
    open: openOf(scope),
    timeline: timelineOf(scope),
    phases: phasesOf(scope),
    syncs: syncsOf(scope),
    switches: switchesOf(scope),
    signer: moveReports(scope),
    rewards: ofEvent(scope, "rewards").map(({ at, stack, details }) => ({ at, stack, ...details })),
    refusals: ofEvent(scope, "refused").map(({ at, stack, details }) => ({ at, stack, ...details })),
    unread: scope.unread,
  };
}
