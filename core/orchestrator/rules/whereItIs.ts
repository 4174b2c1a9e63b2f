import { isSameMove, moveText } from "../../eventLog/moveId";
import { type Journal, journalFile, type SideName } from "./journal";
import type { Looks, SideLook } from "./sagaLooks";

const bothSides = ["new", "old"] as const;

function journalOf(look: SideLook) {
  return look === "outOfSight" ? undefined : look.journal;
}

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

function keyIn(looks: Looks, places: Places): { readonly holder?: SideName; readonly line: string } {
  const name = (side: SideName) => `the ${side} side (${places[side]})`;
  const other = (side: SideName): SideName => (side === "old" ? "new" : "old");
  const isStill = !bothSides.some((side) => runs(looks[side]));
  for (const side of bothSides) {
    const look = looks[side];
    const stage = journalOf(look)?.stage;
    if (look === "outOfSight" || (stage !== "running" && stage !== "starting")) continue;
    const signs = look.active ? "which signs" : "which does not run now";
    const started =
      look.active || !look.masked ? "which was started and may sign" : "which was started, and stopped since";
    const what = stage === "running" ? signs : started;
    return {
      holder: side,
      line: `The key is on ${name(side)}, ${what}; ${name(other(side))} ${fenceOf(looks[other(side)])}.`,
    };
  }
  for (const side of bothSides) {
    const journal = journalOf(looks[side]);
    if (journal?.stage !== "moved" || isOneMove(journal, journalOf(looks[other(side)]))) continue;
    if (journal.other.address === places[other(side)])
      return {
        holder: other(side),
        line: `The key is on ${name(other(side))}, which ${fenceOf(looks[other(side)])}; ${name(side)} ${fenceOf(looks[side])}.`,
      };
    return {
      line: `The key is on ${journal.other.address}, where ${moveText(journal.move)} took it from ${name(side)}.`,
    };
  }
  for (const side of bothSides) {
    const look = looks[side];
    const stage = journalOf(look)?.stage;
    if (look === "outOfSight" || stage === undefined) continue;
    const nobody = isStill ? ", and nobody signs now" : "";
    if (stage === "restoring" || stage === "restored")
      return {
        holder: side,
        line: `The key is on ${name(side)}, ${look.active ? "which signs" : "which does not run now"}; ${name(other(side))} ${fenceOf(looks[other(side)])}.`,
      };
    if (stage === "fenced" || stage === "moved") {
      const fence = look.masked ? "stopped and fenced" : "stopped, but nothing fences it";
      return {
        holder: side,
        line: `The key is on ${name(side)}, ${look.active ? "which runs all the same" : `${fence}${nobody}`}.`,
      };
    }
    if (stage === "stopping")
      return {
        holder: side,
        line: `The key is on ${name(side)}, ${look.active ? "which still signs" : `stopped${nobody}`}.`,
      };
  }
  const { old, new: fresh } = looks;
  if (old === "outOfSight" && fresh === "outOfSight")
    return {
      line: `Where the key is cannot be told: ${name("old")} and ${name("new")} are both out of sight. Each host's ${journalFile} tells.`,
    };
  const stage = journalOf(fresh)?.stage;
  if (stage === "staged" || stage === "switched")
    return {
      holder: "new",
      line: `The key is on ${name("new")}, ${runs(fresh) ? "where an orchestrator runs unasked" : "proved but not started"}; ${name("old")} ${fenceOf(old)}${isStill ? ", and nobody signs now" : ""}.`,
    };
  if (old === "outOfSight")
    return {
      holder: "old",
      line: `The key is on ${name("old")} as far as is known, and that is out of sight; nothing was started on ${name("new")}.`,
    };
  return {
    holder: "old",
    line: `The key is on ${name("old")}, ${old.active ? "which signs" : "where the orchestrator does not run"}; nothing was started on ${name("new")}.`,
  };
}

/** What errors name: both sides' addresses and units, and the stack. */
export interface Places extends Readonly<Record<SideName, string>> {
  readonly services: Readonly<Record<SideName, string>>;
  readonly stack: string;
}
