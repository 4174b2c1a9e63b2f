import type { HostEvent } from "./events.ts";
import { installed, type ModelHost, signing } from "./host.ts";
import { Killed, type Moment } from "./model.ts";
import {
  formatEnd,
  formatHistory,
  formatJournal,
  formatMoveEvent,
  parseSagas,
  type RecordedWrite,
  removalByHand,
} from "./recording.ts";
import { withoutTraces } from "./search.ts";
import {
  Broken,
  copyOf,
  fingerprintOf,
  type HostName,
  hostNames,
  newWorld,
  pairs,
  type Stack,
  type World,
} from "./state.ts";
import { type Action, isDone, play, type Up } from "./world.ts";
import { worldText } from "./worldText.ts";

/** Places of writes. Each has an order of its own. */
const places = [...hostNames, "log"] as const;
type Place = (typeof places)[number];
type Cursor = Readonly<Record<Place, number>>;

/** Most actions that are played: two seconds. A broken restore takes 1500, another recording of a lab less than 300. */
const maxPlays = 5000;
/** A journal has the time of its file, which the kernel sets up to a clock tick late. */
const toleranceMs = 30;

/** Events that no write shows. */
const usualEvents: readonly HostEvent[] = ["reboot", "lose", "find"];
const restoreEvents: readonly HostEvent[] = ["back up", "fence", "fence by API", "switch on"];

/** A world in which the first writes of each place were made. */
interface Node {
  readonly world: World;
  readonly cursor: Cursor;
  /** Number of kills, failures and, twice, events of hosts: the likeliest history is tried first. */
  readonly cost: number;
}

/** An action that may follow a node, and what its operator confirmed. */
interface Task extends Pick<Node, "cost"> {
  readonly node: Node;
  readonly action: Action;
  readonly laterThan?: number | undefined;
}

/** A recording in the simulation's names. */
interface NamedRecording {
  readonly streams: Readonly<Record<Place, readonly RecordedWrite[]>>;
  readonly actions: readonly Omit<Task, "node">[];
}

/** Names hosts and stacks as the simulation does. @throws Error if it has no such stacks */
function translate(all: readonly RecordedWrite[]): NamedRecording {
  const stacks = new Map<string, Stack>();
  const hosts = new Map<string, HostName>();
  const ups = new Map<string, Up>();
  for (const { stack, attempt, ...saga } of all.flatMap(({ text }) => parseSagas(text))) {
    if (hosts.size === 0) hosts.set(saga.old, "a");
    const free = (Object.keys(pairs) as Stack[]).filter((each) => ![...stacks.values()].includes(each));
    const name = stacks.get(stack) ?? free.find((each) => pairs[each].old === hosts.get(saga.old));
    const pair = name && pairs[name];
    if (pair && !hosts.has(saga.new)) hosts.set(saga.new, pair.new);
    if (!name || (!stacks.has(stack) && pair?.new !== hosts.get(saga.new)))
      throw new Error(`the simulation has no stack ${stack} from ${saga.old} to ${saga.new}`);
    stacks.set(stack, name);
    for (const direction of ["forward", "back"] as const)
      ups.set(`${name} ${attempt} ${direction}`, { stack: name, attempt, direction });
  }
  const named = all.map((each) => ({
    ...each,
    place: hosts.get(each.place) ?? each.place,
    text: each.text
      .replaceAll(/@([^\s>]+)/g, (_all, host: string) => `@${hosts.get(host) ?? host}`)
      .replaceAll(/#([^/\s]+)\//g, (_all, stack: string) => `#${stacks.get(stack) ?? stack}/`),
  }));
  const isWord = ({ text }: RecordedWrite) => text.startsWith("confirmed ");
  const words = new Set(named.filter(isWord).map(({ text }) => Number(text.split(" ")[1])));
  const hasRestore = named.some(({ text }) => /restore|fenced @/.test(text));
  const events = (hasRestore ? [...usualEvents, ...restoreEvents] : usualEvents).flatMap((event) =>
    [...hosts.values()].map((host) => ({ action: { do: event, host }, cost: 2 }) as const),
  );
  const runs = [...ups.values()].flatMap((up) =>
    (hasRestore ? [false, true] : [false]).flatMap((isRestore) =>
      [undefined, ...words].map((laterThan) => {
        return { action: { do: "up", ...up, isRestore, strikes: [] }, cost: 0, laterThan } as const;
      }),
    ),
  );
  const writes = (place: Place) => named.filter((each) => each.place === place && !isWord(each));
  const streams = { a: writes("a"), b: writes("b"), c: writes("c"), log: writes("log") };
  return { streams, actions: [...events, ...runs] };
}

/**
 * Checks that writes of a lab's runs are a path of the simulation: plays runs, kills, failures and events that no write
 * shows, and continues from the worlds whose writes are the observed ones. Of writes in two places, one is before the
 * other only if its time says so.
 * @returns undefined, or the writes that no path has, and what the simulation would write instead
 */
export function replayRecording(all: readonly RecordedWrite[]): Promise<string | undefined> {
  return withoutTraces(() => new Replay(translate(all)).run());
}

const countIn = ({ a, b, c, log }: Cursor): number => a + b + c + log;

class Replay {
  /** Tasks by their cost, less the number of writes that they explain. */
  private readonly tasks: Task[][] = [];
  /** Worlds, and moments of runs, that were met. */
  private readonly known = new Set<string>();
  private readonly total: Cursor;
  private best = { count: -1, next: [] as readonly string[], allowed: new Set<string>() };

  constructor(private readonly recording: NamedRecording) {
    const { a, b, c, log } = recording.streams;
    this.total = { a: a.length, b: b.length, c: c.length, log: log.length };
  }

  async run(): Promise<string | undefined> {
    this.add({ world: newWorld(), cursor: { a: 0, b: 0, c: 0, log: 0 }, cost: 0 });
    for (let plays = 0; plays < maxPlays && this.best.count < countIn(this.total); plays += 1) {
      const task = this.tasks.find((each) => each?.length > 0)?.pop();
      if (task === undefined) break;
      await this.play(task).catch((error: Error) => {
        if (!(error instanceof Broken)) throw error;
      });
    }
    const { count, next, allowed } = this.best;
    if (count === countIn(this.total)) return undefined;
    const found = `the first ${count} journals and events are a path of the simulation, but no path has one of the next:`;
    return [found, ...next, "It would write:", ...allowed].join("\n  ");
  }

  private next(cursor: Cursor, place: Place): RecordedWrite | undefined {
    return this.recording.streams[place][cursor[place]];
  }

  /** Returns the cursor after a write; undefined if it is not the next one observed. */
  private match(cursor: Cursor, place: Place, ...texts: readonly string[]): Cursor | undefined {
    const found = this.next(cursor, place);
    const earliest = Math.min(...places.map((each) => this.next(cursor, each)?.to ?? Number.POSITIVE_INFINITY));
    if (found && texts.includes(found.text) && found.from <= earliest + toleranceMs)
      return { ...cursor, [place]: cursor[place] + 1 };
    if (countIn(cursor) === this.best.count) this.best.allowed.add(`${place}: ${texts[0]}`);
    return undefined;
  }

  /** @param cursor writes that the task will explain at least */
  private push(task: Task, cursor: Cursor): void {
    const at = countIn(this.total) - countIn(cursor) + task.cost;
    this.tasks[at] ??= [];
    this.tasks[at].push(task);
  }

  /** Adds a world with all that may follow, unless it was met before. */
  private add(node: Node): void {
    const { world, cursor, cost } = node;
    if (!this.isNew(formatNode(node))) return;
    if (countIn(cursor) > this.best.count) {
      const next = places.map((place) => `${place}: ${this.next(cursor, place)?.text ?? "nothing"}`);
      this.best = { count: countIn(cursor), next, allowed: new Set() };
    }
    for (const name of hostNames) {
      const { address, isOff } = world.hosts[name];
      const after = this.next(cursor, name)?.text === removalByHand && this.match(cursor, name, removalByHand);
      if (after)
        for (const host of [installed(address), { ...signing(address), directory: world.generation }])
          this.add({ world: changeByHand(world, name, { ...blank, ...host }), cursor: after, cost });
      // A host that nobody may switch on; the event of the same name is for one that may be.
      if (isOff && this.next(cursor, "log")?.text === `unfenced @${name}`)
        this.add({ world: changeByHand(world, name, { isOff: false, reachable: true }), cursor, cost: cost + 2 });
    }
    for (const task of this.recording.actions) this.push({ ...task, node, cost: cost + task.cost }, cursor);
  }

  private isNew(text: string): boolean {
    return this.known.size < this.known.add(text).size;
  }

  /** Plays an action for as long as its writes are the observed ones. A run may be killed, or fail once, at each moment. */
  private async play({ node, action, cost, laterThan }: Task): Promise<void> {
    const world = copyOf(node.world);
    let cursor: Cursor | undefined = node.cursor;
    let before = node.world;
    const follow = () => {
      for (const [place, ...texts] of listWrites(before, world)) cursor &&= this.match(cursor, place, ...texts);
      before = copyOf(world);
      return cursor;
    };
    const onMoment = ({ what, index }: Moment, at: number) => {
      const reached = follow();
      if (reached === undefined) throw new Killed("its writes are not the observed ones");
      const [strike] = action.do === "up" ? action.strikes : [];
      if (action.do !== "up" || at <= (strike?.at ?? -1)) return;
      const killed = { world: copyOf(world), cursor: reached, cost: cost + 1 };
      this.add(killed);
      const run = { ...action, laterThan, what, index };
      if (strike || !this.isNew(JSON.stringify(run) + formatNode(killed))) return;
      this.push({ node, action: { ...action, strikes: [{ at, blow: "fail" }] }, cost: cost + 1, laterThan }, reached);
    };
    const ending = await play(world, action, { onMoment, words: laterThan ? { laterThan } : {} });
    const isLogged = action.do === "up" && isDone(ending) && before.records.one !== world.records.one;
    follow();
    if (cursor && isLogged) {
      const move = { project: "", pillar: "", ...action };
      cursor = this.match(cursor, "log", formatEnd(move, world.records.one.started, ending.split(":")[0]));
    }
    if (cursor) this.add({ world, cursor, cost });
  }
}

/** Parts that a person removes with a journal. */
const blank = { journal: undefined, directory: undefined, staging: undefined, durable: undefined };

/** Returns a world after a person changed a host. */
function changeByHand(before: World, name: HostName, changes: Partial<ModelHost>): World {
  const world = copyOf(before);
  Object.assign(world.hosts[name], changes);
  // Somebody else answers for who signs.
  for (const each of hostNames) world.hosts[each].strange = true;
  return { ...world, isHarmed: true };
}

/** Formats a node. The simulation's text has only the order of the numbers that a recording has. */
function formatNode({ world, cursor }: Node): string {
  const { generation, started } = world.records.one;
  return `${Object.values(cursor)} ${generation} ${started} ${worldText(world)}`;
}

/** Returns what an effect wrote: its place, its text, and the text that is left of it once a later write hides it. */
function listWrites(before: World, now: World): (readonly [Place, ...string[]])[] {
  const hasKey = (name: HostName, key: string) =>
    key.startsWith(`${now.hosts[name].address}#`) || key === fingerprintOf(now.hosts[name]);
  const nameOf = (key: string) => hostNames.find((name) => hasKey(name, key)) ?? key;
  const journals = hostNames.flatMap((name) => {
    const { journal } = now.hosts[name];
    if (!journal || journal === before.hosts[name].journal) return [];
    return [[name, formatJournal(journal, nameOf), formatHistory(journal)] as const];
  });
  const lines = now.lines?.one.slice(before.lines?.one.length) ?? [];
  const events = lines.flatMap((line) => ("move" in line && formatMoveEvent(line, nameOf)) || []);
  return [...journals, ...events.map((text) => ["log", text] as const)];
}
