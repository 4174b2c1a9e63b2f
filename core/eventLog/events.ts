import type { OrchestratorIdentity } from "../chain/orchestrator";
import type { MoveId } from "./moveId";

/** A height at a time, of the wait for the sync: unix milliseconds, the node's height, and the network's as far as known. */
export type CurvePoint = readonly [at: number, height: number, target: number];

/** The proof of a sync, as the sync gate keeps it. Times are ISO 8601, heights of momentums. */
export interface SyncProof {
  readonly startedAt: string;
  readonly syncedAt: string;
  readonly startHeight: number;
  readonly currentHeight: number;
  /** The claims that are proved, and those that could not be, in the operator's words. */
  readonly proved: readonly string[];
  readonly unproved: readonly string[];
  /** The node's newest momentum, if a witness confirmed its chain: later lookups recognize the chain by it. */
  readonly witnessed?: { readonly height: number; readonly hash: string } | undefined;
}

/** What is kept of each event of a migration; times are ISO 8601, heights of momentums. Never a secret. */
export interface EventDetails {
  /** A stack has a host from here on. */
  readonly host: {
    readonly address: string;
    readonly provider: string;
    readonly serverId?: string;
    /** An authorized_keys line: public. */
    readonly hostKey?: string;
    /** The stack stood its node up itself. */
    readonly isOwnWork: boolean;
  };
  /** A momentum of the chain that the host's node was synced to: who does not know it later is on another one, or lies. */
  readonly recorded: { readonly height: number; readonly hash: string };
  /** A wait for the sync that has not ended: what it saw since the line before (core/sync/waits.ts). */
  readonly waiting: {
    readonly address: string;
    readonly startedAt: string;
    readonly startHeight?: number;
    readonly curve: readonly CurvePoint[];
  };
  /** The engine took a step for done that did not say so itself: the name of its resource. */
  readonly stepUnproved: { readonly step: string };
  /** The node was proved synced (the gate's outputs), with the curve of the wait that ended so. */
  readonly synced: SyncProof & { readonly curve: readonly CurvePoint[] };
  /** From here on the new host may have parts of a copy of the old one's chain. */
  readonly chainCopyBegun: { readonly from: string };
  /** The old host's chain was brought to this host's node: how much, how long, the hash of all files' hashes. */
  readonly chainCopied: {
    readonly from: string;
    readonly files: number;
    readonly bytes: number;
    readonly seconds: number;
    /** Of the momentum that it ended with. */
    readonly height: number;
    readonly manifest: string;
    /** The most that was kept on the old host for it, beyond its node's own files. */
    readonly extraBytes: number;
  };
  /** The Pillar was seen registered with this host's producer address. */
  readonly registered: { readonly producerAddress: string; readonly figures?: Figures };
  /** It was registered with this host's address, and is with another one since. */
  readonly registeredElsewhere: { readonly producerAddress: string };
  /**
   * It is registered with this host's address while its node is not synced (docs/specification.md, 1.1, the rule behind
   * step 13).
   */
  readonly registeredTooEarly: { readonly producerAddress: string; readonly earlier?: string };
  /** The switch: the first momentum that carried this host's address. */
  readonly producing: {
    readonly producerAddress: string;
    readonly height: number;
    /** Of that momentum. */
    readonly switchedAt: string;
    /** It produced before that momentum already: nobody looked further back. */
    readonly orBefore?: true;
    /** The last momentum of the address before. */
    readonly before?: { readonly producerAddress: string; readonly height: number; readonly at: string };
    /** Slots of the whole network that stayed empty between the two. */
    readonly empty?: number;
    readonly figures?: Figures;
  };
  /** The node of the old host is about to be stopped, disabled and masked. */
  readonly shuttingDown: { readonly address: string };
  /** That was done; whether an orchestrator, or what is left of one, was seen on the host then. */
  readonly shutDown: {
    readonly address: string;
    readonly hostKey?: string;
    readonly evidence: readonly string[];
    readonly hasSigner?: boolean;
  };
  /** The stack's lifecycle is not `retiring` any more: the node of its host is about to be started again. */
  readonly reactivated: { readonly address: string };
  /** The rewards were seen paid and collected, or the operator said so. */
  readonly rewards: { readonly evidence: readonly string[]; readonly saidBy?: "operator" };
  /** The webhook was told of something that stays so: it is told once. */
  readonly told: { readonly notice: "rewardsDue" | "retirementPossible" };
  /** A deletion was refused, with every reason. */
  readonly refused: { readonly reasons: readonly string[] };
  /** The operator's typed sentence let a deletion pass in spite of these reasons. */
  readonly override: { readonly sentence: string; readonly reasons: readonly string[] };
  /** The guard let the host go: what follows is its deletion. */
  readonly released: {
    readonly evidence: readonly string[];
    readonly address?: string;
    readonly serverId?: string;
    /** The producer address that it had. */
    readonly producer?: string;
    /** Its provider protected it against deletion until then. */
    readonly wasProtected?: boolean;
  };
}

/**
 * Of the running epoch, as a node counted up to five minutes before, its whole tick with it: what the Pillar was to
 * produce, and what it did. The difference of two such counts is not what was missed.
 */
export interface Figures {
  readonly expected: number;
  readonly produced: number;
}

/** A backup that was proved. No secret in it. */
export interface Backup {
  /** The archive, encrypted with age; absolute. */
  readonly file: string;
  /** What is in it; absolute. */
  readonly manifestFile: string;
  /** Which identity opens it. */
  readonly identityFile: string;
  /** Bytes and sha256 of the encrypted file. */
  readonly sealedBytes: number;
  readonly sha256: string;
  /** Files in it, and their bytes. */
  readonly files: number;
  readonly bytes: number;
  /** ISO 8601. */
  readonly provedAt: string;
  /** The signer's key share in it; absent where it holds none. */
  readonly keyShare?: KeyShare;
}

/** The files of a key share: what a signer can't get again before the next key generation. */
export interface KeyShare {
  /** As the archive names them. Never their content. */
  readonly files: readonly string[];
  /** ISO 8601: when the newest of them was written, at the last key generation that this signer took part in. */
  readonly generatedAt: string;
}

/** What is known of a move's preparation. No secret. */
export interface Prepared {
  /** The first backup; absent only where the move went on without this machine's event log. */
  readonly backup?: Backup;
  /** ISO 8601. */
  readonly checkedAt?: string;
  readonly oldVersion?: string;
  readonly oldIdentity?: OrchestratorIdentity;
}

/** One way of a move: its number, as the journals have it, and the fingerprints of both hosts' keys. */
export interface WayOfMove {
  readonly direction: "forward" | "back";
  readonly generation: number;
  readonly source: string;
  readonly target: string;
}

/** The end of a move. */
export interface MoveEnd {
  /** The side on which the signer is. */
  readonly holder: "old" | "new";
  /** As the journals have it. */
  readonly generation: number;
  readonly version: string;
  readonly movedAt: string;
  /** From the stop to the first good getBuildInfo, where one run did both. */
  readonly secondsWithoutSigner?: number | undefined;
  /** The file of the one that was taken after the stop. */
  readonly lastBackup?: string | undefined;
}

/** What is kept of each event of a signer's move. Never a secret. */
export interface MoveEventDetails {
  /** A backup was proved; the label says when it was taken: `first`, `last`, `retired`; `asked` by the command. */
  readonly backup: Backup & { readonly label: string };
  /** All prerequisites hold, and the first backup is there. */
  readonly secured: Prepared;
  /** A way of it begins, or is about to start its target. */
  readonly begun: WayOfMove;
  readonly starting: WayOfMove;
  /** It came to its end, there or back. */
  readonly done: MoveEnd;
  readonly rolledBack: MoveEnd;
  /** A run of it ended in an error, whose first line this is. */
  readonly failed: { readonly error?: string | undefined };
}

export type EventName = keyof EventDetails;
export type MoveEventName = keyof MoveEventDetails;

/** Something that happened to a stack. */
export type News = {
  [E in EventName]: { readonly event: E; readonly details: EventDetails[E] };
}[EventName];

/** Something that happened to a signer's move. */
export type MoveNews = {
  [E in MoveEventName]: { readonly event: E; readonly details: MoveEventDetails[E] };
}[MoveEventName];

/**
 * Events that guards decide by: they are added, never noted. What they announce is not done without the line, and where it
 * is done already the run ends in an error, so that the next one writes it.
 */
type Guarded =
  | ("shuttingDown" | "shutDown" | "reactivated" | "override" | "released")
  | ("begun" | "starting" | "done" | "rolledBack" | "backup" | "secured");

/** Events without which a run goes on. */
export type Notable<N extends { readonly event: string }> = Exclude<N, { readonly event: Guarded }>;

/** A line of the event log about a stack. */
export type LogEvent = News & {
  /** ISO 8601: when it was written. */
  readonly at: string;
  readonly stack: string;
  readonly pillar: string;
};

/** A line about a signer's move. */
export type MoveEvent = MoveNews & { readonly at: string; readonly move: MoveId };
