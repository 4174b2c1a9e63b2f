import { isSameMove, type MoveId } from "../../core/eventLog/moveId";
import { createLeg } from "../../core/orchestrator/rules/generation";
import { assignRoles, bothSides, type Direction, type WhichHost } from "../../core/orchestrator/rules/journal";
import { befall, canHappen, generate, type HostEvent, isOfRetirement } from "./events";
import { keyOf, type ModelHost } from "./host";
import { type Blow, Killed, Model, type Moment } from "./model";
import { noteBackup, noteFence, noteUnfenced, noteWay, operate } from "./retire";
import { type Rules, realRules } from "./rules";
import {
  Broken,
  broke,
  copyOf,
  emptyRecord,
  fenceFaultOf,
  fenceOf,
  type HostName,
  hasNewest,
  hostNames,
  isAt,
  keepBackup,
  type ModelRecord,
  type Operator,
  pairs,
  type Stack,
  type World,
} from "./state";

/** An `up` of a stack. */
export interface Up {
  readonly stack: Stack;
  readonly direction: Direction;
  readonly attempt: number;
  /** Operator whose event log the run uses; `one` by default. */
  readonly by?: Operator;
  /** True if the configuration has a backup that is to take the old host's place, also one left over. */
  readonly isRestore?: boolean;
}

/** A blow, or another operator's whole run, right before an effect of a run. */
export interface Strike {
  readonly at: number;
  readonly blow: Blow | { readonly up: Up };
}

export type Action =
  | (Up & { readonly do: "up"; readonly strikes: readonly Strike[] })
  | { readonly do: HostEvent; readonly host: HostName }
  /** A key generation of the bridge: each running orchestrator gets a new share. */
  | { readonly do: "generate" }
  /** The loss of an operator's state and event log. */
  | { readonly do: "lose laptop"; readonly by?: Operator }
  /** A copy of the other operator's event log over an operator's own; it may be the older one. */
  | { readonly do: "copy record"; readonly to: Operator };

export interface RunSettings {
  readonly rules?: Rules;
  /** False lets scripts overwrite another stack's move, as before a fix. */
  readonly isGuarded?: boolean;
  /** Called at each moment of a run, while the world is in that state. */
  readonly onMoment?: (at: Moment, count: number) => void;
  /** Settings that the operator adds because a run asked for them. */
  readonly words?: { readonly laterThan?: number; readonly isFirst?: boolean };
}

let tokens = 0;

/**
 * Plays a run of the program.
 * @returns how it ended
 * @throws Broken
 */
export async function up(world: World, wanted: Up, strikes: readonly Strike[], settings: RunSettings): Promise<string> {
  const { rules = realRules, onMoment, isGuarded = true, words } = settings;
  const { by = "one" } = wanted;
  const known = world.records[by];
  const names = pairs[wanted.stack];
  const hosts: Record<WhichHost, ModelHost> = { old: world.hosts[names.old], new: world.hosts[names.new] };
  const move = { project: "pillar-host", stack: wanted.stack, pillar: "Anvil", attempt: wanted.attempt };
  tokens += 1;
  const token = `${tokens}`;
  let count = 0;
  const left = [...strikes];
  // Thrown only after the saga, which would take it for a failed step and roll back.
  let broken: Broken | undefined;
  const blow = async (at: Moment): Promise<Blow> => {
    onMoment?.(at, count);
    const found = left.find((strike) =>
      typeof strike.blow === "string" ? strike.at === count : strike.at <= count && at.index === 0,
    );
    count += 1;
    if (found === undefined) return "none";
    left.splice(left.indexOf(found), 1);
    if (typeof found.blow === "string") {
      if (/unmask|start/.test(found.blow)) world.isHarmed = true;
      return found.blow;
    }
    // Waits for the end of the call: during it, the other run would wait for the host's lock.
    await up(world, found.blow.up, [], { ...settings, onMoment: () => undefined });
    return "none";
  };
  const keys = { old: keyOf(hosts.old), new: keyOf(hosts.new) };
  const { isRestore = false } = wanted;
  // From here on a run has seen the host: whatever is started beside it, is so in spite of that.
  for (const host of [hosts.old, hosts.new])
    if (host.isHidden && host.reachable) {
      host.strange = Object.values(world.hosts).some((each) => each !== host && isAt(each));
      host.isHidden = false;
    }
  const plain = [hosts.old, hosts.new].filter((host) => host.running && host.reachable);
  const before = { plain, hadNewest: hasNewest(world), isDeceived: isDeceived(hosts, known, isRestore) };
  const model = new Model(blow, hosts, {
    all: Object.values(world.hosts),
    token,
    isGuarded,
    check: (change) => {
      broken ??= broke(world, change, before);
    },
    record: async (line, saga) => {
      if (world.lines) noteWay(world, line, saga, hosts);
      world.hasBegun = true;
      const { [by]: own, [by === "one" ? "two" : "one"]: other } = world.records;
      const isBehind = other.isBehind || line === "starting";
      world.records = {
        ...(by === "one" ? { two: { ...other, isBehind } } : { one: { ...other, isBehind } }),
        [by]: { ...own, ...rules.applyEvent(own, line, saga.move, createLeg(saga, keys)) },
      } as World["records"];
    },
    isFenced: async (states) => {
      for (const side of bothSides)
        if (states[side] && fenceOf(world, hosts[side], rules)) noteUnfenced(world, hosts[side]);
      return isRestore && !states.old && fenceFaultOf(world, hosts.old, rules) === undefined;
    },
    restored: () => {
      if (world.backup !== world.generation) throw new Error("the backup's key share is not of the bridge's key");
      // The operator may give any backup; one of the lost host serves most.
      const lost = { address: hosts.old.address, hostKey: keys.old };
      const problems = world.backupOf.map((host) =>
        rules.findForeignBackup({ host }, lost, { known, laterThan: words?.laterThan }),
      );
      if (problems[0] && problems.every(Boolean)) throw new Error(problems[0].what);
      return world.backup;
    },
    backUp: (share) => {
      const source = hosts[assignRoles(wanted).source];
      if (share !== undefined) keepBackup(world, source, share);
      if (world.lines) noteBackup(world, source, share);
    },
  });
  const services = { old: "orchestrator", new: "orchestrator" };
  const places = { old: hosts.old.address, new: hosts.new.address, services, stack: wanted.stack };
  for (const host of [hosts.new, hosts.old]) if (host.reachable) host.owner = token;
  const way = { move, direction: wanted.direction, known, hosts: keys, isFirst: !world.hasBegun, isRestore, ...words };
  const ending = await rules.runSaga(way, model, places).then(
    ({ holder, why }) => {
      if (!model.storeRefuses) noteEnd(world, by, move, keys[holder], model.generation, rules);
      return `${holder}: ${why}`;
    },
    (error: Error) => (error instanceof Killed ? "killed" : error.message),
  );
  if (broken) throw broken;
  const seen = [hosts.old, hosts.new].filter((host) => host.running && host.reachable);
  if (isDone(ending) && strikes.length === 0 && seen.length > 1)
    throw new Broken("two sign in plain sight, and the run says that all is done");
  if (!isDone(ending) && ending !== "killed" && !isHelpful(ending))
    throw new Broken(`an error that does not tell where the key is, or what to do:\n${ending}`);
  return ending;
}

/** Logs the end of a saga, as core/orchestrator/move/move.ts does. @param verified generation that the run started */
function noteEnd(
  world: World,
  by: Operator,
  move: MoveId,
  holderKey: string,
  verified: number | undefined,
  { applyEvent }: Rules,
): void {
  const own = world.records[by];
  const isMissing = own.startedOn === holderKey && own.startedBy !== undefined && isSameMove(own.startedBy, move);
  const generation = verified ?? (isMissing ? own.started : undefined);
  if (generation === undefined) return;
  world.records = { ...world.records, [by]: { ...own, ...applyEvent(own, "done", move, { generation }) } };
}

/** True if an event log that lacks the last start meets a restored disk, or a lost one: nothing contradicts it. */
function isDeceived(
  hosts: Record<WhichHost, ModelHost>,
  { generation, isBehind }: ModelRecord,
  isRestore: boolean,
): boolean {
  if (isRestore && isBehind) return true;
  const pair = [hosts.old, hosts.new];
  const told = pair.map(({ reachable, journal }) => (reachable ? (journal?.generation ?? 0) : 0));
  return isBehind && generation > 0 && Math.max(...told) <= generation && pair.some(({ rewound }) => rewound);
}

export function isDone(ending: string): boolean {
  return /^(old|new): [a-z ]+$/.test(ending);
}

/** Returns the settings that a refusal asks for. They are true as long as no disk was lost. */
function wordsFor(refusal: string): NonNullable<RunSettings["words"]> {
  const number = /laterThanMove (\d+)/.exec(refusal)?.[1];
  return {
    ...(number !== undefined && { laterThan: Number(number) }),
    ...(refusal.includes("firstMove") && { isFirst: true }),
  };
}

/** Number of runs in a row that finish a move from any state. */
const most = 3;

/**
 * Checks what holds once nothing fails any more: a few runs of one stack lead to exactly one orchestrator. The other
 * stacks refuse, or say truly that they are done.
 * @throws Broken
 */
export async function settle(world: World, ups: readonly Up[], settings: RunSettings): Promise<void> {
  if (world.isHarmed || hostNames.some((name) => world.hosts[name].isGone || world.hosts[name].isOff)) return;
  const said: string[] = [];
  let isGood = false;
  for (const wanted of ups) {
    const calm = copyOf(world);
    for (const name of hostNames) calm.hosts[name].reachable = true;
    let ending = "";
    for (let count = 0; count < most && !isDone(ending); count += 1) {
      const { old } = pairs[wanted.stack];
      if (ending.includes("an orchestrator was started from a backup")) befall(calm, calm.hosts[old], "stop by hand");
      ending = await up(calm, wanted, [], { ...settings, words: wordsFor(ending) });
    }
    const signers = hostNames.filter((name) => calm.hosts[name].running);
    if (isDone(ending) && ending.endsWith(": moved") && signers.length !== 1)
      throw new Broken(`${wanted.stack} says ${ending}, and ${signers.length} sign`);
    if (isDone(ending) && signers.length === 1) isGood = true;
    said.push(`${wanted.stack} ${wanted.direction}: ${ending}`);
  }
  if (!isGood) throw new Broken(`no run ends with one signer, though nothing was lost:\n${said.join("\n")}`);
}

/** True if a refusal says where the key is, and names a command. */
function isHelpful(said: string): boolean {
  return /(The key is on |Which host has the key is unknown)/.test(said) && /(pulumi (up|config)|systemctl)/.test(said);
}

/** Plays an action. @throws Broken */
export async function play(world: World, action: Action, settings: RunSettings = {}): Promise<string> {
  if (action.do === "up") return up(world, action, action.strikes, settings);
  if (action.do === "lose laptop") {
    const { by = "one" } = action;
    if (by === "one") Object.assign(world, { hasLaptop: false, ...(world.lines && { lines: [], backups: [] }) });
    world.records = { ...world.records, [by]: { ...emptyRecord, isBehind: world.hasBegun } };
  } else if (action.do === "copy record") {
    const { one, two } = world.records;
    world.records = action.to === "one" ? { one: two, two } : { one, two: one };
  } else if (action.do === "generate") generate(world);
  else if (isOfRetirement(action.do)) return operate(world, action.host, action.do, settings.rules ?? realRules);
  else {
    const host = world.hosts[action.host];
    const how = action.do === "fence" ? "sentence" : "off";
    if (action.do.startsWith("fence") && canHappen(action.do, host, Object.values(world.hosts)))
      noteFence(world, host, how);
    befall(world, host, action.do);
  }
  return "";
}
