/** Returns random numbers from a seed (mulberry32), so that a history can be repeated. */
export function randomOf(seed: number) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (low: number, high: number) => low + next() * (high - low);
  return {
    next,
    between,
    whole: (low: number, high: number) => Math.floor(between(low, high + 1)),
    chance: (share: number) => next() < share,
    pick: <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)] as T,
  };
}

export type Random = ReturnType<typeof randomOf>;

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * Behaviour of the node for a while. `stale`: reports state 2 at a fixed target far behind; `steps`: likewise, but the
 * target leaps and is reached between two lookups; `below`: reports state 2 below its own target; `flaps`: alternates 2
 * and 1 at stale targets; `frozen`: adds no momentum and does not notice.
 */
const kinds = [
  "run",
  "refused",
  "silent",
  "odd",
  "noPeers",
  "stale",
  "steps",
  "below",
  "flaps",
  "frozen",
  "noTarget",
  "targetBelow",
] as const;
export type Kind = (typeof kinds)[number];

export interface Phase {
  readonly kind: Kind;
  /** Milliseconds of the true time. */
  readonly until: number;
}

/** A reference: honest ones are late by `late` ms; liars say a height of their own. */
export interface Reference {
  readonly kind: "honest" | "high" | "low" | "mirror";
  readonly late: number;
  /** Share of its lookups until the faults end at which it is down, or lags by minutes. */
  readonly faulty: number;
}

/** All events of a history, drawn in advance, except the gate's own lookups. Times in ms. */
export interface History {
  readonly seed: number;
  readonly confirmations: number;
  readonly confirmSpan: number;
  readonly tolerance: number;
  readonly networkHeight: number;
  readonly nodeHeight: number;
  /** Momentums per second. */
  readonly rate: number;
  /** Momentums by which the target of a node that syncs is ahead of it at most: it is stale. */
  readonly lead: number;
  /** Time that a node at the tip takes a momentum in after its peers; such a moment must not end a streak. */
  readonly delay: number;
  readonly phases: readonly Phase[];
  readonly faultsEnd: number;
  /** The host's clock, and this machine's, until the faults end: at least one of the two is right, to 10 s. */
  readonly hostOffset: number;
  readonly jumps: readonly { readonly at: number; readonly offset: number }[];
  /** Sleeps of this machine: its wall clock continues, the monotonic clock does not. */
  readonly sleeps: readonly { readonly at: number; readonly length: number }[];
  readonly references: readonly Reference[];
}

function phasesOf(random: Random, long: boolean): Phase[] {
  const phases: Phase[] = [];
  let until = 0;
  const add = (kind: Kind, length: number) => {
    until += length;
    phases.push({ kind, until });
  };
  if (long) {
    for (let hours = random.whole(24, 168); hours > 0; hours -= 1) {
      add("run", hour - minute);
      add(random.chance(0.9) ? "refused" : random.pick(kinds), random.between(2 * second, minute));
    }
    return phases;
  }
  for (let count = random.whole(0, 5); count > 0; count -= 1) {
    if (random.chance(0.5)) add("run", random.between(second, 45 * second));
    add(random.pick(kinds), random.between(2 * second, random.chance(0.03) ? 10 * minute : 30 * second));
  }
  return phases;
}

function referencesOf(random: Random): Reference[] {
  const count = random.pick([0, 0, 1, 2, 3, 3, 4, 5]);
  // During an outage only the liars answer, so there are as many as a minority can be.
  const outage = random.chance(0.15);
  const most = Math.max(0, Math.floor((count - 1) / 2));
  const some = random.chance(0.5) ? random.whole(0, most) : 0;
  const liars = outage ? most : some;
  const lie = random.pick(["high", "low", "mirror"] as const);
  return Array.from({ length: count }, (_, i) => ({
    kind: i < liars ? (random.chance(0.8) ? lie : random.pick(["high", "low", "mirror"] as const)) : "honest",
    late: random.between(0, 15 * second),
    faulty: outage ? 1 : Math.max(0, random.between(-2, 1)),
  }));
}

export function historyOf(seed: number, long = false): History {
  const random = randomOf(seed);
  const phases = phasesOf(random, long);
  const faultsEnd = phases.at(-1)?.until ?? 0;
  const networkHeight = random.whole(100_000, 15_000_000);
  const behind = random.pick([0, 3, 20, 200, 5000]) + random.whole(0, 30);
  const rate = long ? random.between(1, 30) : random.between(5, 300);
  const span = faultsEnd / 1000;
  const wrongHost = random.chance(0.15);
  const wrongHere = !wrongHost && random.chance(0.15);
  // Most rows are short: the long ones cost most of the time that the simulation takes.
  const confirmSpan = random.chance(0.02) ? random.pick([60, 300]) : random.pick([0, 4, 4, 4, 4, 10]);
  const far = () => random.pick([-1, 1]) * random.between(20 * second, random.pick([5 * minute, 3 * hour]));
  return {
    seed,
    confirmations: random.chance(0.01) ? 30 : random.pick([1, 2, 3, 3, 3, 5]),
    confirmSpan: confirmSpan * second,
    tolerance: random.whole(3, 20),
    networkHeight,
    nodeHeight: Math.max(1, Math.floor(networkHeight - (long ? span * rate * random.between(0.5, 1) : behind))),
    rate,
    lead: long ? 1_000_000 : 500,
    delay: random.chance(0.5) ? random.between(0, 900) : 0,
    phases,
    faultsEnd,
    hostOffset: wrongHost ? far() : random.between(-10, 10) * second,
    jumps: wrongHere
      ? Array.from({ length: random.whole(1, 3) }, () => ({ at: random.next() * faultsEnd, offset: far() })).sort(
          (a, b) => a.at - b.at,
        )
      : [],
    sleeps: random.chance(0.15)
      ? [{ at: random.next() * faultsEnd, length: random.between(second, random.pick([2 * minute, 9 * hour])) }]
      : [],
    references: referencesOf(random),
  };
}
