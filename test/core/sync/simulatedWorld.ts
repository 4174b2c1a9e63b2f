import type { Observation } from "../../../core/chain/node";
import { findAgeFault } from "../../../core/chain/reading";
import type { ReferenceReading } from "../../../core/sync/references";
import type { SyncDeps } from "../../../core/sync/waitForSync";
import { clientNamed, seenFrom, silent } from "../chain/readings";
import { type History, type Kind, type Reference, randomOf } from "./history";

const genesis = Date.UTC(2026, 0, 2);
/** Milliseconds between two momentums of the network. */
export const momentumTime = 10_000;
/** Longest duration of a lookup: a timeout of 15 s for each of its two requests. */
export const longestLook = 30_000;
/** Longest duration of a reading of the references: their timeout. */
export const longestReading = 10_000;

const oddAnswers = [
  "the RPC answers 403, the node refuses the Host header",
  "the RPC answers 429, too many requests",
  "the RPC gives an empty answer",
  "another service answers on the RPC's port",
];

/** Plays a history. Time is virtual: only lookups and sleeps take time. */
export function simulate(history: History, limit: number) {
  const random = randomOf(history.seed ^ 0x5eed);
  const { phases, faultsEnd } = history;
  let time = 0;
  let asleep = 0;
  let sleepsDone = 0;
  let phaseIndex = 0;
  let grownTo = 0;
  let grown = history.nodeHeight;
  let staleTarget = 0;
  /** Since when the node is at the tip, with all faults over. */
  let soundSince: number | undefined;
  const lines: string[] = [];

  const network = (at: number) => history.networkHeight + Math.floor(Math.max(0, at) / momentumTime);
  const kindAt = (at: number): Kind => {
    while (phaseIndex < phases.length && at >= (phases[phaseIndex]?.until ?? 0)) phaseIndex += 1;
    return phases[phaseIndex]?.kind ?? "run";
  };
  /** Lets the node live until now, phase by phase. */
  const grow = (to: number) => {
    while (grownTo < to) {
      const kind = kindAt(grownTo);
      const end = Math.min(to, phases[phaseIndex]?.until ?? to);
      const tip = network(end - history.delay);
      const grows = !["refused", "noPeers", "stale", "frozen"].includes(kind);
      if (grows) {
        const reached = grown + ((end - grownTo) / 1000) * history.rate;
        if (soundSince === undefined && end >= faultsEnd && reached >= tip) soundSince = Math.max(end, faultsEnd);
        grown = Math.max(grown, Math.min(tip, reached));
      }
      grownTo = end;
    }
  };
  const pass = (milliseconds: number) => {
    time += milliseconds;
    const next = history.sleeps[sleepsDone];
    if (next && time >= next.at) {
      sleepsDone += 1;
      const length = Math.max(0, Math.min(next.length, faultsEnd - time));
      time += length;
      asleep += length;
    }
    grow(time);
    if (soundSince !== undefined && time > soundSince + limit)
      throw new Error(`not said to be synced ${Math.round((time - soundSince) / 1000)} s after it was`);
  };
  const height = () => Math.floor(grown);
  const clock = () => {
    const faulty = time < faultsEnd;
    const offset = faulty ? (history.jumps.findLast(({ at }) => time >= at)?.offset ?? 0) : 0;
    return genesis + time + offset;
  };
  const timeOf = (momentum: number) => genesis + (momentum - history.networkHeight) * momentumTime;

  const answer = (state: number, current: number, target: number): Observation => ({
    kind: "answer",
    info: { state, currentHeight: current, targetHeight: target },
    newest: state === 2 ? { height: current, timestamp: timeOf(current), hash: "ab" } : undefined,
    peers: state === 3 ? 1 : undefined,
    // The Date header has whole seconds.
    nodeTime: Math.floor((genesis + time + (time < faultsEnd ? history.hostOffset : 0)) / 1000) * 1000,
  });
  const none = (reason: string): Observation => ({ kind: "none", reason });

  const observe = async (): Promise<Observation> => {
    const kind = kindAt(time);
    if (kind === "silent") {
      pass(15_000);
      return none("no answer within 15 s");
    }
    pass(5 + random.next() * (random.chance(0.02) ? longestLook / 2 : 300));
    const now = kindAt(time);
    const current = height();
    const tip = network(time);
    staleTarget = Math.max(staleTarget, Math.min(tip, current + history.lead));
    switch (now) {
      case "refused":
        return none("connect ECONNREFUSED");
      case "silent":
        return none("no answer within 15 s");
      case "odd":
        return none(random.pick(oddAnswers));
      case "noPeers":
        return answer(3, current, random.chance(0.8) ? 0 : current);
      case "stale":
      case "frozen":
      case "steps":
        return answer(2, current, current);
      case "below":
        return answer(2, current, tip + 1);
      case "flaps":
        return random.chance(0.5) ? answer(1, current, tip) : answer(2, current, current);
      case "noTarget":
        return answer(random.pick([1, 2]), current, 0);
      case "targetBelow":
        return answer(2, current, Math.max(1, current - random.whole(1, 50)));
      default:
        return current >= network(time - history.delay) ? answer(2, current, tip) : answer(1, current, staleTarget);
    }
  };

  const read = (reference: Reference, i: number): ReferenceReading => {
    const client = clientNamed(`reference ${i}`);
    const faulty = time < faultsEnd && reference.kind === "honest" && random.chance(reference.faulty);
    if (faulty && random.chance(0.5)) return silent(`reference ${i}`);
    const honest = network(time - reference.late - (faulty ? 400_000 : 0));
    const lies = { honest, high: honest + 1000, low: Math.max(1, honest - 4000), mirror: height() };
    const said = lies[reference.kind];
    const timestamp = reference.kind === "honest" ? timeOf(said) : clock();
    // The momentum's time shows that an honest reference lags.
    const newest = { height: said, timestamp, hash: `h${said}`, producer: "z1q" };
    const fault = findAgeFault({ newest, clock: clock() });
    return fault ? { client, fault } : { client, newest, clock: clock() };
  };

  const deps: SyncDeps = {
    client: { observe, close: () => undefined },
    readReferences: async (newest) => {
      if (history.references.length > 0) pass(random.next() * (random.chance(0.02) ? longestReading : 200));
      const readings = history.references.map(read);
      return newest ? seenFrom(newest.height, readings) : { readings };
    },
    now: clock,
    ticks: () => time - asleep,
    sleep: async (milliseconds) => pass(milliseconds),
    say: (line) => void lines.push(`${Math.round(time / 1000)} s: ${line}`),
  };
  return { deps, lines, behind: () => network(time) - height() };
}
