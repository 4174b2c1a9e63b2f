import type { OrchestratorIdentity } from "../chain/orchestrator.ts";
import type { MoveId } from "./moveId.ts";

/** The proof of a sync, as the sync gate keeps it. Times are ISO 8601, heights of momentums. */
export interface SyncProof {
  readonly startedAt: string;
  readonly syncedAt: string;
  readonly startHeight: number;
  readonly currentHeight: number;
  /** Claims in the operator's words. */
  readonly proved: readonly string[];
  readonly unproved: readonly string[];
  /** The node's newest momentum, if a witness confirmed its chain: later lookups recognize the chain by it. */
  readonly witnessed?: { readonly height: number; readonly hash: string } | undefined;
}

/** Details of each event of a migration. Times are ISO 8601, heights are of momentums. Never a secret. */
export interface EventDetails {
  /** `hostKey`: an authorized_keys line. `isOwnWork`: true if the stack deployed its node itself. */
  readonly host: Readonly<{
    address: string;
    provider: string;
    serverId?: string;
    hostKey?: string;
    isOwnWork: boolean;
  }>;
  /** A momentum of the synced node's chain. A node that lacks it later is on another chain, or lies. */
  readonly recorded: { readonly height: number; readonly hash: string };
  readonly synced: SyncProof;
  /**
   * A run ended before the node was synced, or was about to wait. `since`: the first lookup with this height, or without
   * an answer. `isStalled`, `isLate`: true once the operator was notified of the stall, or of the deadline.
   */
  readonly waiting: Readonly<{ address: string; hostKey: string; setUp?: string | undefined; startedAt: string }> &
    Readonly<{ startHeight?: number | undefined; earlier?: string | undefined; height?: number | undefined }> &
    Readonly<{ since: string; isStalled?: true | undefined; isLate?: true | undefined }>;
  /** The new host may have parts of the old host's chain. `confirmed`: pillar-host:sync.copyAgain, if it was used. */
  readonly chainCopyBegun: { readonly from: string; readonly confirmed?: number | undefined };
  readonly chainCopied: Readonly<{ from: string; files: number; bytes: number; seconds: number; height: number }>;
  /** The Pillar was seen registered with this host's producer address. */
  readonly registered: { readonly producerAddress: string };
  /** A third address was registered, since this host's or instead of it; then `earlier` is the one of before the move. */
  readonly registeredElsewhere: { readonly producerAddress: string; readonly earlier?: string | undefined };
  /** Registered before the node is synced (docs/specification.md, 1.1, step 13). */
  readonly registeredTooEarly: { readonly producerAddress: string; readonly earlier?: string };
  /** The switch: the first momentum that was seen with this host's address. `earlier`: the address before. */
  readonly producing: Readonly<{ producerAddress: string; height: number; switchedAt: string; earlier?: string }>;
  /** The node of the old host is about to be stopped, disabled and masked. */
  readonly shuttingDown: { readonly address: string };
  /** The node was stopped for good. `hasSigner`: true if an orchestrator, or traces of one, were on the host. */
  readonly shutDown: Readonly<{ address: string; hostKey?: string; evidence: readonly string[]; hasSigner?: boolean }>;
  /** The stack's lifecycle is no longer `retiring`: its host's node is about to be started again. */
  readonly reactivated: { readonly address: string };
  /** The chain shows that the rewards are paid and collected. */
  readonly rewards: { readonly evidence: readonly string[] };
  readonly refused: { readonly reasons: readonly string[] };
  /** The operator's typed sentence overrode the reasons. */
  readonly override: { readonly sentence: string; readonly reasons: readonly string[] };
  readonly released: {
    readonly evidence: readonly string[];
    readonly address?: string;
    readonly serverId?: string;
    /** True if the provider protected the server against deletion. */
    readonly wasProtected?: boolean;
  };
}

/** A proved backup. No secret. */
export interface Backup {
  /** Absolute path of the archive, encrypted with age. */
  readonly file: string;
  /** Absolute path of the list of the archive's files. */
  readonly manifestFile: string;
  /** File of the age identity that opens the archive. */
  readonly identityFile: string;
  /** Size of the encrypted file. */
  readonly sealedBytes: number;
  readonly sha256: string;
  readonly files: number;
  readonly bytes: number;
  /** ISO 8601. */
  readonly provedAt: string;
  /** Names of a key share's files in the archive, and when (ISO 8601) a key generation wrote the newest of them. */
  readonly keyShare?: { readonly files: readonly string[]; readonly generatedAt: string };
}

/** Preparation of a move. No secret. */
export interface Prepared {
  /** The first backup; absent only if the move went on without this machine's event log. */
  readonly backup?: Backup;
  readonly oldVersion?: string;
  readonly oldIdentity?: OrchestratorIdentity;
}

/** A direction of a move, with its generation as in the journals, and the fingerprints of both hosts' keys. */
export type MoveLeg = Readonly<{ direction: "forward" | "back"; generation: number; source: string; target: string }> &
  // True if a backup takes the place of the source, which is lost and fenced.
  Readonly<{ isRestore?: boolean }>;

/** A host that can't start its orchestrator again. */
export interface Fence {
  readonly address: string;
  /** Fingerprint of its ssh key. */
  readonly hostKey: string;
  /** The provider says that its server is `off`, or the operator's typed `sentence` does. */
  readonly how: "off" | "sentence";
  readonly provider?: string;
  readonly serverId?: string;
}

export interface MoveEnd {
  readonly holder: "old" | "new";
  readonly generation: number;
  readonly version: string;
  readonly movedAt: string;
  /** Duration from the first stop to the first good getBuildInfo; absent if nobody knows when the stop was. */
  readonly secondsWithoutSigner?: number | undefined;
  readonly lastBackup?: string | undefined;
}

/** Details of each event of a move. Never a secret. */
interface MoveEventDetails {
  /** The label is `first`, `last` or `retired`, or `asked` if the command took it. */
  readonly backup: Backup & { readonly label: string };
  /** All prerequisites are met, and the first backup is taken. */
  readonly secured: Prepared;
  /** `begun`: a direction of the move begins. `starting`: the orchestrator is about to be started on the target. */
  readonly begun: MoveLeg;
  readonly starting: MoveLeg;
  readonly done: MoveEnd;
  readonly rolledBack: MoveEnd;
  /** The host that had the orchestrator is lost and fenced: a backup may take its place. */
  readonly fenced: Fence;
  /** A fenced host was seen: its fence has ended. */
  readonly unfenced: Pick<Fence, "address" | "hostKey">;
  /** A run relies on what the operator confirmed in the configuration: a key of `orchestrator`. */
  readonly confirmed: { readonly key: string; readonly value: string | number };
  /** `secondsWithoutSigner`: until a rollback started the orchestrator again where it was. */
  readonly failed: { readonly error?: string | undefined; readonly secondsWithoutSigner?: number | undefined };
}

export type EventName = keyof EventDetails;
export type MoveEventName = keyof MoveEventDetails;

type BodyOf<D> = { [E in keyof D]: { readonly event: E; readonly details: D[E] } }[keyof D];
export type EventBody = BodyOf<EventDetails>;
export type MoveEventBody = BodyOf<MoveEventDetails>;

/**
 * Events on which guards decide. They are added, never noted: nothing that they announce is done without the line. If
 * it was already done, the run fails, so that the next run writes the line.
 */
type Guarded =
  | ("shuttingDown" | "shutDown" | "reactivated" | "override" | "released")
  | ("begun" | "starting" | "done" | "rolledBack" | "fenced" | "unfenced" | "backup" | "secured");

/** Events without which a run goes on. */
export type Optional<N extends { readonly event: string }> = Exclude<N, { readonly event: Guarded }>;

export type LogEvent = EventBody & {
  /** ISO 8601. */
  readonly at: string;
  readonly stack: string;
  readonly pillar: string;
};

export type MoveEvent = MoveEventBody & { readonly at: string; readonly move: MoveId };

export type LogEntry = LogEvent | MoveEvent;
