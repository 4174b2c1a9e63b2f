import type { LogFault } from "../../core/eventLog/logIntegrity.ts";
import { isSameMove, type MoveId } from "../../core/eventLog/moveId.ts";
import { createLeg } from "../../core/orchestrator/rules/generation.ts";
import { assignRoles, bothSides, type Direction, type WhichHost } from "../../core/orchestrator/rules/journal.ts";
import { findUnseenHost, knowHead, logFaultOf, note, type Tampering, tamper } from "./eventLogs.ts";
import { befall, canHappen, generate, type HostEvent, isOfRetirement } from "./events.ts";
import { keyOf, type ModelHost } from "./host.ts";
import { type Blow, Killed, Model, type Moment } from "./model.ts";
import { noteBackup, noteFence, noteWay, operate } from "./retire.ts";
import { type Rules, realRules } from "./rules.ts";
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
  operators,
  pairs,
  type Stack,
  type Words,
  type World,
} from "./state.ts";

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
  /** A run whose refusal asks for a confirmation: the operator gives it if it is true now, and never withdraws it. */
  | (Up & { readonly do: "confirm" })
  | { readonly do: HostEvent; readonly host: HostName; readonly by?: Operator }
  /** From here on both operators use one state, which knows the newest line, and leave confirmations where they are. */
  | { readonly do: "share state" }
  | { readonly do: "tamper"; readonly how: Tampering; readonly by: Operator }
  | { readonly do: "set clock"; readonly ahead: number }
  /** A key generation of the bridge: each running orchestrator gets a new share. */
  | { readonly do: "generate" }
  /** The loss of an operator's state, configuration and event log. */
  | { readonly do: "lose laptop"; readonly by?: Operator }
  /** A copy of the other operator's event log over an operator's own; it may be the older one. */
  | { readonly do: "copy record"; readonly to: Operator };

export interface RunSettings {
  readonly rules?: Rules;
  /** Called at each moment of a run, while the world is in that state. */
  readonly onMoment?: (at: Moment, count: number) => void;
  /** Settings that the operator adds because a run asked for them. */
  readonly words?: Words;
}

let tokens = 0;

/**
 * Plays a run of the program.
 * @returns how it ended
 * @throws Broken
 */
export async function up(world: World, wanted: Up, strikes: readonly Strike[], settings: RunSettings): Promise<string> {
  const { rules = realRules, onMoment } = settings;
  const { by = "one" } = wanted;
  const known = world.records[by];
  const words: Words = { ...(world.hasBegun ? {} : { isFirst: true }), ...wordsIn(world, wanted), ...settings.words };
  keepWords(world, wanted, { isFirst: words.isFirst });
  const { isRestore = false } = wanted;
  // Asked first: a log without a fault becomes the one that this machine knows.
  const unseen = isRestore ? findUnseenHost(world, by, wanted.stack) : undefined;
  const fault = logFaultOf(world, by, wanted.stack, rules);
  const unproved = fault && acceptLoss(world, wanted, words, fault, rules);
  if (unproved) return `nothing was started: ${unproved.found}: lostLine ${unproved.missing?.slice(0, 12)}`;
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
  const stillUnseen = known.unseen.filter(
    (name) => !Object.values(names).includes(name) || !world.hosts[name].reachable,
  );
  if (stillUnseen.length < known.unseen.length) setUnseen(world, by, stillUnseen);
  const plain = [hosts.old, hosts.new].filter((host) => host.running && host.reachable);
  const before = {
    plain,
    hadNewest: hasNewest(world),
    isDeceived: !fault && isDeceived(hosts, known, isRestore),
    unseen,
  };
  const model = new Model(blow, hosts, {
    all: Object.values(world.hosts),
    token,
    check: (change) => {
      broken ??= broke(world, change, before);
    },
    record: async (line, saga) => {
      if (world.lines) noteWay(world, by, line, saga, hosts);
      world.hasBegun = true;
      const { [by]: own, [by === "one" ? "two" : "one"]: other } = world.records;
      const isBehind = other.isBehind || line === "starting";
      world.records = {
        ...(by === "one" ? { two: { ...other, isBehind } } : { one: { ...other, isBehind } }),
        [by]: {
          ...own,
          ...rules.applyEvent(own, line, saga.move, createLeg(saga, keys)),
          isBehind: own.isBehind && (line !== "starting" || before.isDeceived),
        },
      } as World["records"];
    },
    isFenced: async (states) => {
      for (const side of bothSides)
        if (states[side] && fenceOf(world, hosts[side], rules, by)) noteFence(world, hosts[side], by);
      return isRestore && !states.old && fenceFaultOf(world, hosts.old, rules, by) === undefined;
    },
    restored: () => {
      if (world.backup !== world.generation) throw new Error("the backup's key share is not of the bridge's key");
      // The operator may give any backup; one of the lost host serves most.
      const lost = { address: hosts.old.address, hostKey: keys.old };
      const problems = world.backupOf.map((host) =>
        rules.findForeignBackup({ host }, lost, { known, laterThan: words.laterThan }),
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
  const way = { move, direction: wanted.direction, known, hosts: keys, isRestore, ...words };
  const ending = await rules.runSaga(way, model, places).then(
    ({ holder, why }) => {
      if (!model.storeRefuses) noteEnd(world, by, move, keys[holder], model.generation, rules);
      knowHead(world, by, wanted.stack, rules);
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

function setUnseen(world: World, by: Operator, unseen: readonly HostName[]): void {
  world.records = { ...world.records, [by]: { ...world.records[by], unseen } };
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

/** Logs that the operator gave up a line, if the configuration says so. @returns the fault that is left, as assertWhole */
function acceptLoss(world: World, wanted: Up, { lostLine }: Words, fault: LogFault, rules: Rules) {
  const { by = "one", stack, attempt } = wanted;
  if (lostLine === undefined || !rules.isConfirmedLoss(fault, lostLine)) return fault;
  const move = { project: "pillar-host", stack, pillar: "Anvil", attempt };
  // The line that is missing now: a mistake may take the word for one line as that for another.
  const details = { key: "lostLine", value: `${fault.missing?.slice(0, 12)}` };
  world.heads = { ...world.heads, [by]: undefined };
  note(world, by, { at: "", move, event: "confirmed", details });
  return logFaultOf(world, by, stack, rules);
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
function wordsFor(refusal: string): Words {
  const number = /laterThanMove (\d+)/.exec(refusal)?.[1];
  const lostLine = /lostLine ([0-9a-f]{12})/.exec(refusal)?.[1];
  return {
    ...(number !== undefined && { laterThan: Number(number) }),
    ...(lostLine !== undefined && { lostLine }),
    ...(refusal.includes("firstMove") && { isFirst: true }),
  };
}

const wordsIn = ({ words }: World, { by = "one", stack }: Up): Words | undefined => words?.[`${by} ${stack}`];

function keepWords(world: World, wanted: Up, words: { readonly [K in keyof Words]: Words[K] | undefined }): void {
  const { by = "one", stack } = wanted;
  const said = Object.fromEntries(Object.entries(words).filter(([, word]) => word));
  if (world.words && Object.keys(said).length > 0)
    world.words = { ...world.words, [`${by} ${stack}`]: { ...wordsIn(world, wanted), ...said } };
}

/** Plays a run, and keeps what it asks for if that is true: the orchestrator can start on its source alone. */
async function confirm(world: World, wanted: Up, settings: RunSettings): Promise<string> {
  const ending = await up(world, wanted, [], settings);
  const { old, new: fresh } = pairs[wanted.stack];
  const source = wanted.direction === "forward" ? old : fresh;
  const isTrue = hostNames.every((name) => isAt(world.hosts[name]) === (name === source));
  if (isTrue && !isDone(ending)) keepWords(world, wanted, { ...wordsFor(ending), isFirst: undefined });
  return ending;
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
    // Each line that the event log lacks asks for a confirmation of its own.
    const mostRuns = most + Object.keys(calm.heads ?? {}).length;
    for (let count = 0; count < mostRuns && !isDone(ending); count += 1) {
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
  const { rules = realRules } = settings;
  if (action.do === "up") return up(world, action, action.strikes, settings);
  if (action.do === "confirm") return confirm(world, action, settings);
  if (action.do === "share state") Object.assign(world, { heads: {}, words: {} });
  else if (action.do === "set clock") world.clockError = action.ahead;
  else if (action.do === "tamper") tamper(world, action.by, action.how);
  else if (action.do === "lose laptop") {
    const { by = "one" } = action;
    if (world.lines) world.lines = { ...world.lines, [by]: [] };
    if (world.heads) Object.assign(world, { heads: {}, words: {} });
    if (by === "one") Object.assign(world, { hasLaptop: false, ...(world.lines && { backups: [] }) });
    world.records = { ...world.records, [by]: { ...emptyRecord, isBehind: world.hasBegun } };
  } else if (action.do === "copy record") {
    const both = <T>({ one, two }: Readonly<Record<Operator, T>>) =>
      action.to === "one" ? { one: two, two } : { one, two: one };
    world.records = both(world.records);
    if (world.lines) world.lines = both(world.lines);
  } else if (action.do === "generate") generate(world);
  else if (isOfRetirement(action.do)) return operate(world, action.host, action.do, rules, action.by ?? "one");
  else {
    const host = world.hosts[action.host];
    const how = action.do === "fence" ? "sentence" : "off";
    if (!canHappen(action.do, host, Object.values(world.hosts))) return "";
    if (action.do.startsWith("fence")) noteFence(world, host, action.by ?? "one", how);
    if (action.do === "switch on early")
      for (const by of operators) setUnseen(world, by, [...world.records[by].unseen, action.host]);
    befall(world, host, action.do);
  }
  return "";
}
