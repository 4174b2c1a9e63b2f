import { isSameMove, moveText } from "../../eventLog/moveId";
import { type Journal, journalFile, type SideName } from "./journal";
import type { Looks, SideLook } from "./sagaLooks";

const bothSides = ["new", "old"] as const;

function isOneMove(a: Journal, b: Journal | undefined): boolean {
  return b !== undefined && isSameMove(a.move, b.move);
}

/** Describes what keeps a host without the key from signing. */
function describeFence(look: SideLook): string {
  if (!look) return "is out of sight";
  if (look.active) return "runs too";
  return look.masked ? "is fenced" : "does not run, and nothing fences it";
}

/** Formats in one line which host holds the key and which may sign, by the journals and running processes. */
export function whereItIs(looks: Looks, places: Places): string {
  const { holder, line } = locateKey(looks, places);
  const others = bothSides.filter((side) => side !== holder && looks[side]?.active);
  if (others.length === 0) return line;
  const where = others.map((side) => `the ${side} side (${places[side]})`).join(" and ");
  const held = holder && looks[holder];
  const isOne = others.length === 1 && held?.active === false;
  return `${line} But an orchestrator runs on ${where}${isOne ? "" : ": two may sign now"}.`;
}

interface KeyPlace {
  /** Undefined if neither host holds it. */
  readonly holder?: SideName;
  readonly line: string;
}

const otherOf = (side: SideName): SideName => (side === "old" ? "new" : "old");
const nameOf = (side: SideName, places: Places) => `the ${side} side (${places[side]})`;
const nobodyRuns = (looks: Looks) => !bothSides.some((side) => looks[side]?.active);

function locateKey(looks: Looks, places: Places): KeyPlace {
  return (
    onStartedSide(looks, places) ??
    afterMoveOn(looks, places) ??
    onStoppedSide(looks, places) ??
    beforeStart(looks, places)
  );
}

function onStartedSide(looks: Looks, places: Places): KeyPlace | undefined {
  for (const side of bothSides) {
    const look = looks[side];
    const stage = look?.journal?.stage;
    if (!look || (stage !== "running" && stage !== "starting")) continue;
    const signs = look.active ? "which signs" : "which does not run now";
    const started =
      look.active || !look.masked ? "which was started and may sign" : "which was started, and stopped since";
    const what = stage === "running" ? signs : started;
    const fence = describeFence(looks[otherOf(side)]);
    return {
      holder: side,
      line: `The key is on ${nameOf(side, places)}, ${what}; ${nameOf(otherOf(side), places)} ${fence}.`,
    };
  }
  return undefined;
}

/** Returns where the key went in a move of which one host alone has a journal. */
function afterMoveOn(looks: Looks, places: Places): KeyPlace | undefined {
  for (const side of bothSides) {
    const other = otherOf(side);
    const journal = looks[side]?.journal;
    if (journal?.stage !== "moved" || isOneMove(journal, looks[other]?.journal)) continue;
    if (journal.other.address !== places[other])
      return {
        line: `The key is on ${journal.other.address}, where ${moveText(journal.move)} took it from ${nameOf(side, places)}.`,
      };
    const [here, there] = [describeFence(looks[side]), describeFence(looks[other])];
    return {
      holder: other,
      line: `The key is on ${nameOf(other, places)}, which ${there}; ${nameOf(side, places)} ${here}.`,
    };
  }
  return undefined;
}

function onStoppedSide(looks: Looks, places: Places): KeyPlace | undefined {
  for (const side of bothSides) {
    const look = looks[side];
    const stage = look?.journal?.stage;
    if (!look || stage === undefined) continue;
    const holds = (how: string): KeyPlace => ({ holder: side, line: `The key is on ${nameOf(side, places)}, ${how}.` });
    const nobody = nobodyRuns(looks) ? ", and nobody signs now" : "";
    if (stage === "restoring" || stage === "restored") {
      const signs = look.active ? "which signs" : "which does not run now";
      return holds(`${signs}; ${nameOf(otherOf(side), places)} ${describeFence(looks[otherOf(side)])}`);
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
function beforeStart({ old, new: fresh }: Looks, places: Places): KeyPlace {
  const [oldName, newName] = [nameOf("old", places), nameOf("new", places)];
  if (!old && !fresh)
    return {
      line: `Where the key is cannot be told: ${oldName} and ${newName} are both out of sight. Each host's ${journalFile} tells.`,
    };
  const stage = fresh?.journal?.stage;
  if (stage === "staged" || stage === "switched") {
    const how = fresh?.active ? "where an orchestrator runs unasked" : "proved but not started";
    const nobody = nobodyRuns({ old, new: fresh }) ? ", and nobody signs now" : "";
    return { holder: "new", line: `The key is on ${newName}, ${how}; ${oldName} ${describeFence(old)}${nobody}.` };
  }
  const nothing = `nothing was started on ${newName}`;
  if (!old)
    return {
      holder: "old",
      line: `The key is on ${oldName} as far as is known, and that is out of sight; ${nothing}.`,
    };
  const how = old.active ? "which signs" : "where the orchestrator does not run";
  return { holder: "old", line: `The key is on ${oldName}, ${how}; ${nothing}.` };
}

export interface Places extends Readonly<Record<SideName, string>> {
  readonly services: Readonly<Record<SideName, string>>;
  readonly stack: string;
}
