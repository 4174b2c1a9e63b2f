import { formatVersionGap, installLines } from "../../../core/chain/requiredVersions.ts";
import { formatSpork } from "../../../core/chain/sporks.ts";
import { day } from "../../../core/sync/progress.ts";
import { commandsFor } from "../../../core/util/commands.ts";
import { takeValue } from "../../../core/util/result.ts";
import type { StackView } from "../stackView.ts";

/** A problem on a host, now or in the future (`isNow` false). */
interface HostProblem {
  readonly key: string;
  readonly label: string;
  readonly text: string;
  readonly isNow: boolean;
}

type ProblemFacts = Pick<StackView, "parts" | "stack" | "facts" | "lifecycle">;

export function findProblems({ parts, stack, facts, lifecycle }: ProblemFacts): HostProblem[] {
  const { node, hourlyRestart, sporks, versions } = parts;
  const { up } = commandsFor(stack);
  const unit = takeValue(node);
  const reading = takeValue(sporks);
  const restart = takeValue(hourlyRestart) ?? "off";
  const problems: HostProblem[] = [];
  const add = (label: string, key: string, text: string, isNow = true) => problems.push({ key, label, text, isNow });
  const restartText =
    restart === "on"
      ? `root's crontab restarts the node every hour although it is synced: each restart may miss momentums. To remove the line: ${up}`
      : `the host restarts the node at times, and each restart may miss momentums. Remove this on the host: ${restart}`;
  if (restart !== "off") add("restart", "crontab", restartText);
  const maskText = unit?.active
    ? `the node runs again although it was shut down for good: two nodes may produce with one key. To shut it down: ${up}`
    : `the node was shut down for good, but its unit is not masked any more, so it may start. To mask it: ${up}`;
  if (unit?.wasShutDown && (unit.active || !unit.masked)) add("node", "mask", maskText);
  const { name, isDisabled } = facts?.service ?? {};
  const isDeployed = lifecycle !== "active" || facts?.done?.deployed !== undefined;
  const bootText = `no boot of the host starts the node. On the host: systemctl enable ${name}; a unit without [Install] first needs that, and WantedBy=multi-user.target below it`;
  if (isDisabled && isDeployed && !unit?.wasShutDown) add("boot", "boot", bootText);
  for (const spork of reading?.unknown ?? []) {
    const isEnforced = spork.enforcedFrom !== undefined;
    // A spork's announcement and its enforcement are two problems, with a key for each.
    const key = `spork:${spork.id}${isEnforced ? ":enforced" : ""}`;
    add("spork", key, formatSpork(spork, reading?.version), spork.isSure && isEnforced);
  }
  for (const gap of takeValue(versions) ?? []) {
    const { expectedAt = 0 } = gap;
    const isNow = expectedAt === 0;
    // The key changes once it is three days away, so that an alert comes again.
    const soon = expectedAt - Date.now() <= 3 * day ? ":soon" : "";
    const key = `version:${gap.leastVersion}${isNow ? ":required" : soon}`;
    add("version", key, [formatVersionGap(gap), ...installLines(gap, up)].join(". "), isNow);
  }
  return problems;
}
