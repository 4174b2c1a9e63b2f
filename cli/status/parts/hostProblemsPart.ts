import { installLines, versionGapText } from "../../../core/chain/requiredVersions";
import { sporkText } from "../../../core/chain/sporks";
import { commandsFor } from "../../../core/util/commands";
import { getValue, type StatusParts } from "./statusParts";

/** A problem on a host, now or in the future (`isNow` false). */
interface HostProblem {
  readonly key: string;
  readonly label: string;
  readonly text: string;
  readonly isNow: boolean;
}

export function findProblems({ node, hourlyRestart, sporks, versions }: StatusParts, stack: string): HostProblem[] {
  const { up } = commandsFor(stack);
  const unit = getValue(node);
  const seen = getValue(sporks);
  const found: HostProblem[] = [];
  const restart = getValue(hourlyRestart) ?? "off";
  if (restart !== "off")
    found.push({
      key: "crontab",
      label: "restart",
      isNow: true,
      text:
        restart === "on"
          ? `root's crontab restarts the node every hour although it is synced: each restart may miss momentums. To remove the line: ${up}`
          : `something else restarts the node at times, and each restart may miss momentums. Remove it on the host: ${restart}`,
    });
  if (unit?.wasShutDown && (unit.active || !unit.masked))
    found.push({
      key: "mask",
      label: "node",
      isNow: true,
      text: unit.active
        ? `it runs again although it was shut down for good: two nodes may produce with one key. To shut it down: ${up}`
        : `it was shut down for good, but its unit is not masked any more, so it may start. To mask it: ${up}`,
    });
  for (const spork of seen?.unknown ?? []) {
    const line = {
      label: "spork",
      text: sporkText(spork, seen?.version),
      isNow: spork.isSure && spork.enforcedFrom !== undefined,
    };
    const key = `spork:${spork.id}`;
    // The spork's activation is a separate problem.
    found.push({ ...line, key: spork.enforcedFrom === undefined ? key : `${key}:enforced` });
  }
  for (const gap of getValue(versions) ?? []) {
    const isNow = gap.expectedAt === undefined;
    const key = `version:${gap.leastVersion}${isNow ? ":required" : ""}`;
    found.push({ key, label: "version", text: [versionGapText(gap), ...installLines(gap, up)].join(". "), isNow });
  }
  return found;
}
