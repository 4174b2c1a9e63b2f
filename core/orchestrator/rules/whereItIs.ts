import { isSameMove, moveText } from "../../eventLog/moveId";
import { type Journal, journalFile, type SideName } from "./journal";
import { journalOf, type Looks, type SideLook } from "./sagaLooks";

const bothSides = ["new", "old"] as const;

function runs(look: SideLook): boolean {
  return look !== "outOfSight" && look.active;
}

function isOneMove(a: Journal, b: Journal | undefined): boolean {
  return b !== undefined && isSameMove(a.move, b.move);
}

/** What keeps a side that does not hold the key from signing. */
function fenceOf(look: SideLook): string {
  if (look === "outOfSight") return "is out of sight";
  if (look.active) return "runs too";
  return look.masked ? "is fenced" : "does not run, and nothing fences it";
}

/** Which side holds the key, and which may sign, in one line: by both journals, and by what was seen to run. */
export function whereItIs(looks: Looks, places: Places): string {
  const { holder, line } = keyIn(looks, places);
  const others = bothSides.filter((side) => side !== holder && runs(looks[side]));
  if (others.length === 0) return line;
  const where = others.map((side) => `the ${side} side (${places[side]})`).join(" and ");
  const held = holder === undefined ? "outOfSight" : looks[holder];
  const isOne = others.length === 1 && held !== "outOfSight" && !held.active;
  return `${line} But an orchestrator runs on ${where}${isOne ? "" : ": two may sign now"}.`;
}

/** Which side holds the key, where one of these two does, and the line that says so. */
interface KeyPlace {
  readonly holder?: SideName;
  readonly line: string;
}

const otherOf = (side: SideName): SideName => (side === "old" ? "new" : "old");
const nameOf = (side: SideName, places: Places) => `the ${side} side (${places[side]})`;
const isStill = (looks: Looks) => !bothSides.some((side) => runs(looks[side]));

/** Returns where the key is: by the first of the rules that can tell. */
function keyIn(looks: Looks, places: Places): KeyPlace {
  return (
    onStartedSide(looks, places) ??
    whereItMovedOn(looks, places) ??
    onStoppedSide(looks, places) ??
    whereNothingStarted(looks, places)
  );
}

/** Returns the side that was started by a move, by its journal. */
function onStartedSide(looks: Looks, places: Places): KeyPlace | undefined {
  for (const side of bothSides) {
    const look = looks[side];
    const stage = journalOf(look)?.stage;
    if (look === "outOfSight" || (stage !== "running" && stage !== "starting")) continue;
    const signs = look.active ? "which signs" : "which does not run now";
    const started =
      look.active || !look.masked ? "which was started and may sign" : "which was started, and stopped since";
    const what = stage === "running" ? signs : started;
    const fence = fenceOf(looks[otherOf(side)]);
    return {
      holder: side,
      line: `The key is on ${nameOf(side, places)}, ${what}; ${nameOf(otherOf(side), places)} ${fence}.`,
    };
  }
  return undefined;
}

/** Returns where a move took the key of which one side alone has a journal. */
function whereItMovedOn(looks: Looks, places: Places): KeyPlace | undefined {
  for (const side of bothSides) {
    const other = otherOf(side);
    const journal = journalOf(looks[side]);
    if (journal?.stage !== "moved" || isOneMove(journal, journalOf(looks[other]))) continue;
    if (journal.other.address !== places[other])
      return {
        line: `The key is on ${journal.other.address}, where ${moveText(journal.move)} took it from ${nameOf(side, places)}.`,
      };
    const [here, there] = [fenceOf(looks[side]), fenceOf(looks[other])];
    return {
      holder: other,
      line: `The key is on ${nameOf(other, places)}, which ${there}; ${nameOf(side, places)} ${here}.`,
    };
  }
  return undefined;
}

/** Returns the side that was stopped, or brought back, by a move, by its journal. */
function onStoppedSide(looks: Looks, places: Places): KeyPlace | undefined {
  for (const side of bothSides) {
    const look = looks[side];
    const stage = journalOf(look)?.stage;
    if (look === "outOfSight" || stage === undefined) continue;
    const holds = (how: string): KeyPlace => ({ holder: side, line: `The key is on ${nameOf(side, places)}, ${how}.` });
    const nobody = isStill(looks) ? ", and nobody signs now" : "";
    if (stage === "restoring" || stage === "restored") {
      const signs = look.active ? "which signs" : "which does not run now";
      return holds(`${signs}; ${nameOf(otherOf(side), places)} ${fenceOf(looks[otherOf(side)])}`);
    }
    if (stage === "fenced" || stage === "moved") {
      const fence = look.masked ? "stopped and fenced" : "stopped, but nothing fences it";
      return holds(look.active ? "which runs all the same" : `${fence}${nobody}`);
    }
    if (stage === "stopping") return holds(look.active ? "which still signs" : `stopped${nobody}`);
  }
  return undefined;
}

/** Returns where the key is while no journal of the old side, and no start of the new one, says otherwise. */
function whereNothingStarted({ old, new: fresh }: Looks, places: Places): KeyPlace {
  const [oldName, newName] = [nameOf("old", places), nameOf("new", places)];
  if (old === "outOfSight" && fresh === "outOfSight")
    return {
      line: `Where the key is cannot be told: ${oldName} and ${newName} are both out of sight. Each host's ${journalFile} tells.`,
    };
  const stage = journalOf(fresh)?.stage;
  if (stage === "staged" || stage === "switched") {
    const how = runs(fresh) ? "where an orchestrator runs unasked" : "proved but not started";
    const nobody = isStill({ old, new: fresh }) ? ", and nobody signs now" : "";
    return { holder: "new", line: `The key is on ${newName}, ${how}; ${oldName} ${fenceOf(old)}${nobody}.` };
  }
  const nothing = `nothing was started on ${newName}`;
  if (old === "outOfSight")
    return {
      holder: "old",
      line: `The key is on ${oldName} as far as is known, and that is out of sight; ${nothing}.`,
    };
  const how = old.active ? "which signs" : "where the orchestrator does not run";
  return { holder: "old", line: `The key is on ${oldName}, ${how}; ${nothing}.` };
}

/** What errors name: both sides' addresses and units, and the stack. */
export interface Places extends Readonly<Record<SideName, string>> {
  readonly services: Readonly<Record<SideName, string>>;
  readonly stack: string;
}
