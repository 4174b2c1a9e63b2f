import { formatMove, isSameMove } from "../../eventLog/moveId";
import type { HostState, HostStates } from "./hostStates";
import { formatHost, type Journal, journalFile, type WhichHost } from "./journal";

const bothSides = ["new", "old"] as const;

function isOneMove(a: Journal, b: Journal | undefined): boolean {
  return b !== undefined && isSameMove(a.move, b.move);
}

/** Describes whether a host that does not hold the key is kept from signing. */
function describeFence(look: HostState): string {
  if (!look) return "is unreachable";
  if (look.active) return "runs too";
  return look.masked ? "is fenced" : "does not run, and nothing fences it";
}

/** Formats in one line which host holds the key and which may sign, by journals and running processes. */
export function describeKeyLocation(states: HostStates, places: HostAddresses): string {
  const { holder, line } = locateKey(states, places);
  const others = bothSides.filter((side) => side !== holder && states[side]?.active);
  if (others.length === 0) return line;
  const where = others.map((side) => hostLabel(side, places)).join(" and ");
  const held = holder && states[holder];
  const isOne = others.length === 1 && held?.active === false;
  return `${line} But an orchestrator runs on ${where}${isOne ? "" : ": two may sign now"}.`;
}

const hostLabel = (side: WhichHost, places: HostAddresses) => formatHost(side, places[side]);

interface KeyPlace {
  /** Undefined if neither host holds the key. */
  readonly holder?: WhichHost;
  readonly line: string;
}

const otherRole = (side: WhichHost): WhichHost => (side === "old" ? "new" : "old");
const nobodyRuns = (states: HostStates) => !bothSides.some((side) => states[side]?.active);

function locateKey(states: HostStates, places: HostAddresses): KeyPlace {
  return (
    onStartedSide(states, places) ??
    afterMoveOn(states, places) ??
    onStoppedSide(states, places) ??
    beforeStart(states, places)
  );
}

function onStartedSide(states: HostStates, places: HostAddresses): KeyPlace | undefined {
  for (const side of bothSides) {
    const look = states[side];
    const stage = look?.journal?.stage;
    if (!look || (stage !== "running" && stage !== "starting")) continue;
    const signs = look.active ? "which signs" : "which does not run now";
    const started =
      look.active || !look.masked ? "which was started and may sign" : "which was started, and stopped since";
    const what = stage === "running" ? signs : started;
    const fence = describeFence(states[otherRole(side)]);
    return {
      holder: side,
      line: `The key is on ${hostLabel(side, places)}, ${what}; ${hostLabel(otherRole(side), places)} ${fence}.`,
    };
  }
  return undefined;
}

/** Returns where the key went if one host moved it away, and the other host has no journal of that move. */
function afterMoveOn(states: HostStates, places: HostAddresses): KeyPlace | undefined {
  for (const side of bothSides) {
    const other = otherRole(side);
    const journal = states[side]?.journal;
    if (journal?.stage !== "moved" || isOneMove(journal, states[other]?.journal)) continue;
    if (journal.other.address !== places[other])
      return {
        line: `The key is on ${journal.other.address}: ${formatMove(journal.move)} moved it there from ${hostLabel(side, places)}.`,
      };
    const [here, there] = [describeFence(states[side]), describeFence(states[other])];
    return {
      holder: other,
      line: `The key is on ${hostLabel(other, places)}, which ${there}; ${hostLabel(side, places)} ${here}.`,
    };
  }
  return undefined;
}

function onStoppedSide(states: HostStates, places: HostAddresses): KeyPlace | undefined {
  for (const side of bothSides) {
    const look = states[side];
    const stage = look?.journal?.stage;
    if (!look || stage === undefined) continue;
    const holds = (how: string): KeyPlace => ({
      holder: side,
      line: `The key is on ${hostLabel(side, places)}, ${how}.`,
    });
    const nobody = nobodyRuns(states) ? ", and nobody signs now" : "";
    if (stage === "restoring" || stage === "restored") {
      const signs = look.active ? "which signs" : "which does not run now";
      return holds(`${signs}; ${hostLabel(otherRole(side), places)} ${describeFence(states[otherRole(side)])}`);
    }
    if (stage === "fenced" || stage === "moved") {
      const fence = look.masked ? "stopped and fenced" : "stopped, but nothing fences it";
      return holds(look.active ? "which runs all the same" : `${fence}${nobody}`);
    }
    if (stage === "stopping") return holds(look.active ? "which still signs" : `stopped${nobody}`);
  }
  return undefined;
}

/** Returns where the key is if the old host has no journal and the new one was not started. */
function beforeStart({ old, new: fresh }: HostStates, places: HostAddresses): KeyPlace {
  const [oldName, newName] = [hostLabel("old", places), hostLabel("new", places)];
  if (!old && !fresh)
    return {
      line: `Which host has the key is unknown: ${oldName} and ${newName} are both unreachable. Each host's ${journalFile} tells.`,
    };
  const stage = fresh?.journal?.stage;
  if (stage === "staged" || stage === "switched") {
    const how = fresh?.active
      ? "where an orchestrator runs that this move has not started"
      : "where the copy is proved but not started";
    const nobody = nobodyRuns({ old, new: fresh }) ? ", and nobody signs now" : "";
    return { holder: "new", line: `The key is on ${newName}, ${how}; ${oldName} ${describeFence(old)}${nobody}.` };
  }
  const nothing = `nothing was started on ${newName}`;
  if (!old)
    return {
      holder: "old",
      line: `The key is on ${oldName} as far as is known, and that host is unreachable; ${nothing}.`,
    };
  const how = old.active ? "which signs" : "where the orchestrator does not run";
  return { holder: "old", line: `The key is on ${oldName}, ${how}; ${nothing}.` };
}

export interface HostAddresses extends Readonly<Record<WhichHost, string>> {
  readonly services: Readonly<Record<WhichHost, string>>;
  readonly stack: string;
}
