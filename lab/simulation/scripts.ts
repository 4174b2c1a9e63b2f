import { createLeg } from "../../core/orchestrator/rules/generation.ts";
import { type Journal, journalVersion, type Saga, type WhichHost } from "../../core/orchestrator/rules/journal.ts";
import type { Stage } from "../../core/orchestrator/rules/journalStages.ts";
import { enterStage, mayLieInPlace } from "../../core/orchestrator/rules/nextJournal.ts";
import { type ModelHost, sync } from "./host.ts";

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
  /** Stage that orchestrator_settle writes. */
  readonly stage?: "running" | "moved" | "restored" | undefined;
  /** Journal that the run has read on this host, and decided by. */
  readonly read: Journal | undefined;
}

export type ScriptName =
  `orchestrator_${"stop" | "fence" | "staging" | "arrive" | "start" | "settle" | "seal" | "restore"}`;

/** A host's journal is not the one that the run has read: as after a broken connection, it reads both hosts again. */
export class Outdated extends Error {
  readonly broken = true;
}

/** Checks the journal as orchestrator_begin does. @throws Outdated */
export function begin(host: ModelHost, { read }: Pick<Call, "read">): void {
  if (host.journal !== read) throw new Outdated("the journal is not the one that this run has read");
}

/** Returns the effects of entering a stage: none in that stage. @throws if the run may not, as HostPair.step does */
function enter(host: ModelHost, call: Call, from: Journal | undefined, stage: Stage): readonly [Effect[], Journal] {
  const { saga, side, keys, otherAddress } = call;
  const ends = { ...createLeg(saga, keys), other: { address: otherAddress, hostKey: "" } };
  const journal = enterStage(from, stage, { version: journalVersion, move: saga.move, side, ...ends }, { at: "" });
  const write = () => {
    host.journal = journal;
    sync(host);
  };
  return [journal === from ? [] : [write], journal];
}

/** Returns an effect that sets these parts of a host, and may flush its disk. */
const set = (host: ModelHost, parts: Partial<ModelHost>, isSynced = false): Effect => {
  return () => {
    Object.assign(host, parts);
    if (isSynced) sync(host);
  };
};

/** Returns the effects of orchestrator_unfence_and_start, none of which is synced. */
function unfenceAndStart(host: ModelHost): Effect[] {
  const start = () => {
    if (host.directory === undefined) throw new Error("the signer does not start");
    host.running = true;
  };
  return [set(host, { keyAside: false }), set(host, { masked: false }), start];
}

/** Returns the effects that put the staged copy in place. */
function putInPlace(host: ModelHost): Effect[] {
  return [
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
}

/** Returns the effects of a script on a host, in order. @throws if it refuses to begin, as the script does */
export function effectsOf(name: ScriptName, host: ModelHost, call: Call): Effect[] {
  const refuse = (is: boolean, why: string) => {
    if (is) throw new Error(`${name}: ${why}`);
  };
  const to = (stage: Stage) => enter(host, call, call.read, stage);
  begin(host, call);
  switch (name) {
    case "orchestrator_stop": {
      const [stopping] = to("stopping");
      return [...stopping, set(host, { masked: true }, true), set(host, { running: false })];
    }
    case "orchestrator_fence": {
      const [fenced] = to("fenced");
      refuse(!host.masked, "it is not masked");
      refuse(host.running, "it runs again");
      refuse(host.directory === undefined, "no key store is there");
      return [set(host, { keyAside: true }, true), ...fenced];
    }
    case "orchestrator_staging": {
      const [staging] = to("staging");
      refuse(host.running, "an orchestrator runs here");
      return staging;
    }
    case "orchestrator_arrive": {
      const [staged, journal] = to("staged");
      const [switched] = enter(host, call, journal, "switched");
      refuse(host.running, "an orchestrator runs here");
      refuse(staged.length > 0 && host.staging === undefined, "no copy is staged");
      return [...staged, ...putInPlace(host), ...switched];
    }
    case "orchestrator_start": {
      const [starting] = to("starting");
      refuse(host.directory === undefined || host.keyAside, "the directory is not whole");
      return [...starting, ...unfenceAndStart(host)];
    }
    case "orchestrator_restore": {
      const [restoring] = to("restoring");
      return [...restoring, ...unfenceAndStart(host)];
    }
    case "orchestrator_seal": {
      const [abandoned, journal] = to("abandoned");
      const back = () => {
        if (!mayLieInPlace(journal) || host.directory === undefined || host.staging !== undefined) return;
        Object.assign(host, { staging: host.directory, directory: undefined });
        sync(host);
      };
      const stop = [set(host, { running: false }), set(host, { masked: true }, true)];
      // Written before the rename: a run that comes in between must not take the leftover for a directory in its place.
      return [...stop, ...abandoned, back];
    }
    case "orchestrator_settle": {
      const { stage = "moved" } = call;
      const [settled] = to(stage);
      return [...(stage === "running" ? [set(host, { enabled: true })] : []), ...settled];
    }
  }
}
