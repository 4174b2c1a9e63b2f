import { isSameMove, isSameOwner } from "../../core/eventLog/moveId.ts";
import {
  assignRoles,
  isSource,
  type Journal,
  type Saga,
  type WhichHost,
} from "../../core/orchestrator/rules/journal.ts";
import { liesInPlace, type ModelHost, sync } from "./host.ts";

/**
 * Effect of a function of core/steps/orchestrator/*.sh on its host. The script may die between any two.
 * test/simulation/scripts.test.ts runs the real scripts from the same disk.
 */
export type Effect = () => void;

/** Parameters of a script. */
export interface Call {
  readonly saga: Saga;
  readonly side: WhichHost;
  readonly otherAddress: string;
  readonly keys: Readonly<Record<WhichHost, string>>;
  /** Stage that signer_settle writes. */
  readonly stage?: "running" | "moved" | "restored" | undefined;
}

export type ScriptName = `signer_${"stop" | "fence" | "staging" | "arrive" | "start" | "settle" | "seal" | "restore"}`;

/** Returns the stage of this saga on a host, as signer_stage reads it. */
function stageOf({ journal }: ModelHost, { move, direction, generation }: Saga) {
  const isIts = journal && isSameMove(journal.move, move) && journal.direction === direction;
  return isIts && journal.generation === generation ? journal.stage : undefined;
}

/** Returns source and target as a journal has them. */
function endsOf({ saga, keys }: Call) {
  const { source, target } = assignRoles(saga);
  return { source: keys[source], target: keys[target] };
}

/**
 * Checks the journal as signer_current does. @throws if the host knows a later saga, or another one of the same number
 */
export function current({ journal }: ModelHost, call: Call): void {
  const { move, direction, generation = 0 } = call.saga;
  if (journal === undefined || journal.generation < generation) return;
  const ends = endsOf(call);
  const isIts = isSameMove(journal.move, move) && journal.direction === direction;
  const isBetween = journal.source === ends.source && journal.target === ends.target;
  if (journal.generation > generation || !isIts || !isBetween)
    throw new Error("a later move of the signer is known here");
}

/**
 * Checks the journal as signer_begin does. @throws if another stack's move uses the host, or took its orchestrator elsewhere
 */
export function begin(host: ModelHost, call: Call): void {
  current(host, call);
  const { journal } = host;
  const { saga, side } = call;
  if (journal === undefined || (isSameOwner(journal.move, saga.move) && journal.side === side)) return;
  const { stage, history } = journal;
  const isHeld = stage === "running" || stage === "restored";
  if (isSource(side, saga) && isHeld) return;
  const atWork: readonly string[] = ["stopping", "fenced", "restoring", "staged", "switched", "starting"];
  const was: readonly string[] = ["starting", "running", "stopping", "fenced", "moved", "restoring", "restored"];
  const wasHere = history.some((past) => past.move && isSameMove(past.move, saga.move) && was.includes(past.stage));
  if (isSource(side, saga) || atWork.includes(stage) || wasHere)
    throw new Error("another move is at work on this host, or took its orchestrator elsewhere");
}

function write(host: ModelHost, call: Call, stage: Journal["stage"]): Effect {
  const { saga, side, otherAddress } = call;
  const { move, direction, generation = 1, isRestore = false } = saga;
  return () => {
    host.journal = {
      version: 1,
      generation,
      isRestore,
      ...endsOf(call),
      move,
      direction,
      side,
      stage,
      at: "",
      other: { address: otherAddress, hostKey: "" },
      was: {},
      identity: null,
      history: [...(host.journal?.history ?? []), { move, stage, at: "" }],
    };
    sync(host);
  };
}

/** Returns an effect that sets these parts of a host, and may flush its disk. */
const set = (host: ModelHost, parts: Partial<ModelHost>, isSynced = false): Effect => {
  return () => {
    Object.assign(host, parts);
    if (isSynced) sync(host);
  };
};

/** Returns the effects of signer_unfence_and_start, none of which is synced. */
function unfenceAndStart(host: ModelHost): Effect[] {
  const start = () => {
    if (host.directory === undefined) throw new Error("the signer does not start");
    host.running = true;
  };
  return [set(host, { keyAside: false }), set(host, { masked: false }), start];
}

function arrive(host: ModelHost, call: Call): Effect[] {
  const inPlace: Effect[] = [
    () => {
      if (host.staging === undefined || host.directory === undefined) return;
      host.kept = Math.max(host.kept ?? 0, host.directory);
      host.directory = undefined;
    },
    () => {
      if (host.staging === undefined) return;
      Object.assign(host, { directory: host.staging, staging: undefined, keyAside: false });
      sync(host);
    },
  ];
  const isStaged = stageOf(host, call.saga) === "staged";
  return [...(isStaged ? [] : [write(host, call, "staged")]), ...inPlace, write(host, call, "switched")];
}

function seal(host: ModelHost, call: Call): Effect[] {
  const before = stageOf(host, call.saga);
  const back = () => {
    if (!liesInPlace(host)) return;
    Object.assign(host, { staging: host.directory, directory: undefined });
    sync(host);
  };
  return [
    set(host, { running: false }),
    set(host, { masked: true }, true),
    // Written first: a run that comes in between must not take the leftover for a directory in its place.
    ...(before === "abandoned" ? [] : [write(host, call, "abandoned")]),
    // Decided by the disk: a seal that broke off here has already written its stage.
    back,
  ];
}

/** Returns the effects of a script on a host, in order. @throws if it refuses to begin, as the script does */
export function effectsOf(name: ScriptName, host: ModelHost, call: Call): Effect[] {
  const stage = stageOf(host, call.saga);
  const refuse = (is: boolean, why: string) => {
    if (is) throw new Error(`${name}: ${why}`);
  };
  const wasStarted = host.journal?.stage === "starting" || host.journal?.stage === "running";
  const unless = (now: Journal["stage"]) => (stage === now ? [] : [write(host, call, now)]);
  switch (name) {
    case "signer_stop":
      return [...unless("stopping"), set(host, { masked: true }, true), set(host, { running: false })];
    case "signer_fence":
      refuse(stage !== "stopping" && stage !== "fenced", "it was not stopped here");
      refuse(!host.masked, "it is not masked");
      refuse(host.running, "it runs again");
      refuse(host.directory === undefined, "no key store is there");
      return [set(host, { keyAside: true }, true), ...unless("fenced")];
    case "signer_staging":
      refuse(wasStarted, "a signer was started here");
      refuse(host.running, "an orchestrator runs here");
      return unless("staging");
    case "signer_arrive":
      refuse(stage !== "staging" && stage !== "staged", "no orchestrator directory is staged on this host");
      refuse(host.running, "an orchestrator runs here");
      return arrive(host, call);
    case "signer_start":
      refuse(stage !== "switched" && stage !== "starting", "the signer was not put in place here");
      refuse(host.directory === undefined || host.keyAside, "the directory is not whole");
      return [...unless("starting"), ...unfenceAndStart(host)];
    case "signer_restore":
      refuse(!["stopping", "fenced", "restoring", "restored"].includes(stage ?? ""), "it was not stopped here");
      return [...unless("restoring"), ...unfenceAndStart(host)];
    case "signer_seal":
      refuse(wasStarted, "the orchestrator of this host was started");
      return seal(host, call);
    case "signer_settle": {
      const settled = call.stage ?? "moved";
      return [...(settled === "moved" ? [] : [set(host, { enabled: true })]), ...unless(settled)];
    }
  }
}
