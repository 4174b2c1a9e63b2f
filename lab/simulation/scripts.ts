import { isSameMove, isSameOwner } from "../../core/eventLog/moveId";
import { assignRoles, isSource, type Journal, type Saga, type WhichHost } from "../../core/orchestrator/rules/journal";
import { liesInPlace, type ModelHost, sync } from "./host";

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
  readonly stage?: "running" | "moved" | "restored";
}

export type ScriptName =
  | "signer_stop"
  | "signer_fence"
  | "signer_staging"
  | "signer_arrive"
  | "signer_start"
  | "signer_settle"
  | "signer_seal"
  | "signer_restore";

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
  return () => {
    const before = host.journal;
    const entry = { move: saga.move, direction: saga.direction, stage, at: "" };
    host.journal = {
      version: 1,
      generation: saga.generation ?? 1,
      ...endsOf(call),
      move: saga.move,
      direction: saga.direction,
      side,
      stage,
      at: "",
      other: { address: otherAddress, hostKey: "" },
      was: {},
      identity: null,
      history: [...(before?.history ?? []), entry],
    };
    sync(host);
  };
}

/** Returns the effects of signer_unfence_and_start, none of which is synced. */
function unfenceAndStart(host: ModelHost): Effect[] {
  return [
    () => {
      host.keyAside = false;
    },
    () => {
      host.masked = false;
    },
    () => {
      if (host.directory === undefined) throw new Error("the signer does not start");
      host.running = true;
    },
  ];
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
      host.directory = host.staging;
      host.staging = undefined;
      host.keyAside = false;
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
    host.staging = host.directory;
    host.directory = undefined;
    sync(host);
  };
  return [
    () => {
      host.running = false;
    },
    () => {
      host.masked = true;
      sync(host);
    },
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
      return [
        ...unless("stopping"),
        () => {
          host.masked = true;
          sync(host);
        },
        () => {
          host.running = false;
        },
      ];
    case "signer_fence":
      refuse(!host.masked, "it is not masked");
      refuse(host.running, "it runs again");
      refuse(host.directory === undefined, "no key store is there");
      return [
        () => {
          host.keyAside = true;
          sync(host);
        },
        ...unless("fenced"),
      ];
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
      refuse(
        !["stopping", "fenced", "restoring", "restored"].includes(stage ?? ""),
        "this move has not stopped it here",
      );
      return [...unless("restoring"), ...unfenceAndStart(host)];
    case "signer_seal":
      refuse(wasStarted, "the orchestrator of this host was started");
      return seal(host, call);
    case "signer_settle": {
      const settled = call.stage ?? "moved";
      const enable = () => {
        host.enabled = true;
      };
      return [...(settled === "moved" ? [] : [enable]), ...unless(settled)];
    }
  }
}
