import type { VersionGap } from "../chain/requiredVersions.ts";
import type { StackConfig } from "../config/config.ts";
import { listConfirmations } from "../orchestrator/rules/confirmations.ts";
import type { CutOff } from "../orchestrator/rules/journal.ts";
import type { Registration } from "../registration/registration.ts";
import type { Unmet } from "../retirement/retirementFacts.ts";
import type { NodeStatus } from "../sync/nodeStatus.ts";
import type { TextLine } from "../util/commands.ts";
import type { Result } from "../util/result.ts";
import type { LastRun, OrchestratorOutput } from "./outputs.ts";

/** The facts about a stack that decide what is next there. A caller leaves out what it did not read. */
export interface StackFacts {
  readonly stack: string;
  readonly pillar: string;
  readonly lifecycle: StackConfig["lifecycle"];
  readonly settings?: ReturnType<typeof createSettings>;
  /** Undefined for a run, which has begun, and finishes with what it prints. */
  readonly state?: {
    readonly isBegun: boolean;
    readonly last: LastRun;
    /** Operations that a killed run left. */
    readonly pending: readonly { readonly isRepeated?: boolean | undefined }[];
    readonly wait?: { readonly syncedAt?: string | undefined } | undefined;
    /** Set once a host is known. */
    readonly recordedKey?: object | undefined;
  };
  /** Facts about the configured old host beyond its configuration; undefined if nobody looked. */
  readonly old?: OldHostFacts | undefined;
  /** Holders of the stack's lock; undefined if the backend does not show them, and for a run. */
  readonly locks?: readonly LockStatus[] | undefined;
  readonly node?: Pick<NodeStatus, "synced" | "known" | "why" | "reason">;
  /** The steps that are done, by the host's own markers. */
  readonly facts?: { readonly done?: Readonly<Partial<Record<string, string>>> | undefined } | undefined;
  /** Lines on the ways back of a node that is not synced any more. */
  readonly waysBack?: readonly TextLine[];
  readonly parts?: Partial<StackParts>;
  /** Facts that only a run has. */
  readonly run?: {
    readonly timing?: MoveTiming;
    readonly orchestrator?: OrchestratorOutput | undefined;
    readonly producerAddress?: string;
    /** Left by the run before: what that run said is not said again. */
    readonly last?: LastRun;
  };
}

/** Lookups that decide what is next. */
export interface StackParts {
  readonly registration: Result<Registration>;
  /** `off`, `on`, or the name of another timer that restarts a synced node. Only set for an active stack. */
  readonly hourlyRestart: Result<string> | undefined;
  /** State of the node's unit; `wasShutDown`: true if a retirement shut it down for good. */
  readonly node: Result<{ readonly active: boolean; readonly masked: boolean; readonly wasShutDown?: true }>;
  readonly orchestrator: Result<StackOrchestrator>;
  /** Versions that the node needs, now or soon. */
  readonly versions: Result<readonly VersionGap[]>;
  /** Unmet conditions of a destroy; undefined for an active stack, whose lifecycle forbids a destroy. */
  readonly destroy: Result<readonly Unmet[]> | undefined;
}

/** `runsOnOld`: true if an orchestrator runs on the old host; undefined if that host was not read. */
export type StackOrchestrator = Readonly<{ kind: OrchestratorKind; cutOff?: CutOff; runsOnOld?: boolean }>;

export type OrchestratorKind =
  | ("none" | "signs" | "silent" | "second" | "moved" | "unfenced" | "waits" | "stopped")
  | "cutOff";

/** `stack`: the stack of the old host. `isReleased`: by the event log, the old host was given up. */
export type OldHostFacts = Readonly<{ stack: string | undefined; isReleased: boolean }>;

/** When the orchestrator moves (this run or a later one), or why it does not move. */
export type MoveTiming = "none" | "now" | "later" | "unwatched" | "removed";

/** Returns the settings on which a stack's next step depends. */
export const createSettings = ({
  host,
  oldHost,
  orchestrator,
}: Pick<StackConfig, "host" | "oldHost" | "orchestrator">) => ({
  isServerOrdered: host.provider !== "existing",
  oldHost: oldHost?.address,
  isMoveConfigured: orchestrator.move,
  isRollback: orchestrator.rollback,
  confirmations: listConfirmations(orchestrator),
});

/** The holder of a stack's lock, as a directory or bucket backend reports it. `since` in Unix milliseconds. */
export type Lock = Readonly<{ user: string; host: string; pid: number; since: number }>;
export type LockStatus = Readonly<{ lock: Lock; holder: "lives" | "gone" | "unknown" }>;
