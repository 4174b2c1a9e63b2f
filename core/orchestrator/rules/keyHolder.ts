import { formatMove, isSameMove } from "../../eventLog/moveId.ts";
import {
  bothSides,
  formatHost,
  type HostState,
  type HostStates,
  journalFile,
  showsFencedSource,
  type WhichHost,
} from "./journal.ts";
import { lookUpStage } from "./journalStages.ts";

export interface HostAddresses extends Readonly<Record<WhichHost, string>> {
  readonly services: Readonly<Record<WhichHost, string>>;
  readonly stack: string;
}

/** Formats in one line which host holds the key and which may sign, by journals and running processes. */
export function describeKeyHolder(states: HostStates, addresses: HostAddresses): string {
  const name = (side: WhichHost) => formatHost(side, addresses[side]);
  const active = bothSides.filter((side) => states[side]?.active);
  const started = findSide(states, ({ role, key }) => role === "target" && key !== undefined);
  const left = started ? undefined : bothSides.find((side) => hasLeft(side, states));
  const { journal } = (left && states[left]) ?? {};
  if (left && journal && journal.other.address !== addresses[otherSide(left)]) {
    const line = `The key is on ${journal.other.address}: ${formatMove(journal.move)} moved it there from ${name(left)}.`;
    const others = active.map(name).join(" and ");
    return others === "" ? line : `${line} But an orchestrator runs on ${others}: two may sign now.`;
  }
  if (!states.old && !states.new)
    return `Which host has the key is unknown: both hosts are unreachable. Each host's ${journalFile} tells.`;
  const staged = showsFencedSource(states.new?.journal) ? "new" : "old";
  const holder = started ?? (left && otherSide(left)) ?? findSide(states, ({ role }) => role === "source") ?? staged;
  const other = otherSide(holder);
  const nobody = active.length === 0 && states.old && states.new ? " Nobody signs now." : "";
  return `The key is on ${name(holder)}, which ${describeHolder(states[holder])}; ${name(other)} ${describeOther(states[other], states[holder])}.${nobody}`;
}

function otherSide(side: WhichHost): WhichHost {
  return side === "old" ? "new" : "old";
}

function findSide(states: HostStates, is: (stage: ReturnType<typeof lookUpStage>) => boolean): WhichHost | undefined {
  return bothSides.find((side) => is(lookUpStage(states[side]?.journal?.stage)));
}

/** True if a host's orchestrator moved away, and the other host has no journal of that move. */
function hasLeft(side: WhichHost, states: HostStates): boolean {
  const [journal, other] = [states[side]?.journal, states[otherSide(side)]?.journal];
  return journal?.stage === "moved" && !(other && isSameMove(journal.move, other.move));
}

function describeHolder(look: HostState): string {
  if (!look) return "is unreachable";
  if (look.active) return "signs";
  return look.masked ? "is stopped and fenced" : "does not run now";
}

function describeOther(look: HostState, holder: HostState): string {
  if (!look) return "is unreachable";
  if (look.active) return holder?.active === false ? "runs one" : "runs one, too: two may sign now";
  if (look.masked) return "is fenced";
  return look.journal ? "runs none, but nothing fences it" : "runs none";
}
