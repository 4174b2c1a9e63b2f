import type { CurvePoint, Figures } from "../../core/eventLog/events";

/** A migration as it is told: what the record holds of a stack, and of the others of its Pillar in that time. */
export interface Report {
  readonly stack: string;
  readonly pillar: string;
  /** The stacks that take part, the reported one first. */
  readonly stacks: readonly string[];
  /** ISO 8601: of the first event and of the last. */
  readonly from: string;
  readonly to: string;
  readonly overrides: readonly (Happened & { readonly sentence: string; readonly reasons: readonly string[] })[];
  /** What the record says is still to be done. */
  readonly open: readonly { readonly stack: string; readonly text: string }[];
  readonly timeline: readonly Item[];
  readonly phases: readonly Phase[];
  readonly syncs: readonly Sync[];
  readonly switches: readonly SwitchReport[];
  readonly signer: readonly MoveReport[];
  readonly rewards: readonly (Happened & { readonly evidence: readonly string[]; readonly saidBy?: "operator" })[];
  readonly refusals: readonly (Happened & { readonly reasons: readonly string[] })[];
  /** Lines of the record that this version does not understand. */
  readonly unread: number;
}

export interface Happened {
  /** ISO 8601. */
  readonly at: string;
  readonly stack: string;
}

/** An event of the time line. */
export interface Item extends Happened {
  readonly event: string;
  readonly title: string;
  /** Evidence and whatever else was kept of it. */
  readonly lines: readonly string[];
  /** A stage is a step of the way; an alarm is what the operator would not want to overlook. */
  readonly weight: "stage" | "note" | "alarm";
  /** Of a stage: since the stage before it on the same stack. */
  readonly seconds?: number;
}

/** What a stack was busy with. */
export interface Phase {
  readonly stack: string;
  readonly title: string;
  readonly from: string;
  readonly to: string;
}

/** A wait for the sync; `at` is its end, or the last look that is recorded of it. */
export interface Sync extends Happened {
  readonly isOver: boolean;
  readonly startedAt: string;
  readonly seconds: number;
  readonly startHeight: number;
  readonly currentHeight: number;
  readonly momentums: number;
  /** Momentums per second. */
  readonly rate: number;
  readonly proved: readonly string[];
  readonly unproved: readonly string[];
  /** In the order of time. */
  readonly curve: readonly CurvePoint[];
}

/** The first momentum of the new producer; `at` is its time. */
export interface SwitchReport extends Happened {
  readonly producerAddress: string;
  readonly height: number;
  readonly before?: {
    readonly producerAddress: string;
    readonly height: number;
    readonly at: string;
    /** From its momentum to the first of the new one. */
    readonly seconds: number;
  };
  /** As a node counted when registration and switch were seen, up to five minutes before. */
  readonly registered?: Figures & { readonly at: string };
  readonly producing?: Figures & { readonly at: string };
  /** Slots of the network that stayed empty between the last momentum before and the first: the Pillar missed no more. */
  readonly empty?: number;
}

export interface MoveReport {
  readonly stack: string;
  readonly attempt: string;
  readonly ending: "moved" | "brought back" | "open";
  readonly holder?: "old" | "new";
  readonly oldVersion?: string;
  readonly version?: string;
  readonly movedAt?: string;
  readonly secondsWithoutSigner?: number;
  readonly backups: readonly BackupReport[];
  /** Runs that ended in an error. */
  readonly failures: readonly { readonly at: string; readonly error: string }[];
}

export interface BackupReport {
  readonly at: string;
  readonly label: string;
  readonly file: string;
  readonly identityFile: string;
  readonly sha256: string;
  readonly sealedBytes: number;
  readonly files: number;
}
