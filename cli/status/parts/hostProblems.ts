import { installLines, versionGapText } from "../../../core/chain/requiredVersions";
import { sporkText } from "../../../core/chain/sporks";
import { commandsFor } from "../../../core/util/commands";
import { getValue, type StatusParts } from "./statusParts";

/** Something on a host that is not as this program left it, or will not last. */
export interface HostProblem {
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
          ? `root's crontab restarts the node every hour, though it has synced: each restart may miss momentums; ${up} takes the line out`
          : `something else restarts the node at times: take it out on the host, since each restart may miss momentums (${restart})`,
    });
  if (unit?.wasShutDown && (unit.active || !unit.masked))
    found.push({
      key: "mask",
      label: "node",
      isNow: true,
      text: unit.active
        ? `it runs again, though it was shut down for good: two nodes may produce with one key; ${up} shuts it down`
        : `it was shut down for good, and nothing keeps it from starting any more: its unit is not masked; ${up} masks it`,
    });
  for (const spork of seen?.unknown ?? []) {
    const line = {
      label: "spork",
      text: sporkText(spork, seen?.version),
      isNow: spork.isSure && spork.enforcedFrom !== undefined,
    };
    const key = `spork:${spork.id}`;
    // That it was decided is news of its own.
    found.push({ ...line, key: spork.enforcedFrom === undefined ? key : `${key}:enforced` });
  }
  for (const gap of getValue(versions) ?? []) {
    const isNow = gap.expectedAt === undefined;
    const key = `version:${gap.leastVersion}${isNow ? ":required" : ""}`;
    found.push({ key, label: "version", text: [versionGapText(gap), ...installLines(gap, up)].join(". "), isNow });
  }
  return found;
}
