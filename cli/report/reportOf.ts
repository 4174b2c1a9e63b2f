import type { Lines } from "./lines";
import { openOf } from "./open";
import { ofEvent, signerOf, switchesOf, syncsOf } from "./parts";
import { phasesOf } from "./phases";
import type { Report } from "./reportTypes";
import { scopeOf } from "./scope";
import { timelineOf } from "./timeline";

/** Tells a stack's migration from the lines of its record (pure). @returns undefined where they do not know the stack */
export function reportOf(lines: Lines, stack: string): Report | undefined {
  const scope = scopeOf(lines, stack);
  if (!scope) return undefined;
  const timeline = timelineOf(scope);
  return {
    ...{ stack, pillar: scope.pillar, stacks: scope.stacks },
    from: timeline[0]?.at ?? "",
    to: timeline.at(-1)?.at ?? "",
    overrides: ofEvent(scope, "override").map(({ at, stack, details }) => ({ at, stack, ...details })),
    open: openOf(scope),
    timeline,
    phases: phasesOf(scope),
    syncs: syncsOf(scope),
    switches: switchesOf(scope),
    signer: signerOf(scope),
    rewards: ofEvent(scope, "rewards").map(({ at, stack, details }) => ({ at, stack, ...details })),
    refusals: ofEvent(scope, "refused").map(({ at, stack, details }) => ({ at, stack, ...details })),
    unread: scope.unread,
  };
}
