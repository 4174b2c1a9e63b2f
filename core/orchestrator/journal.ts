/** Which way a signer goes: `forward` from the old host to the new one, `back` with `orchestrator.rollback`. */
export type Direction = "forward" | "back";
export type SideName = "old" | "new";

/** Stages of the host that the signer leaves, in order; `restoring` and `restored` when it comes back. */
export const sourceStages = ["stopping", "fenced", "moved", "restoring", "restored"] as const;
/** Stages of the host that it comes to, in order; `abandoned` when it does not. */
export const targetStages = ["staging", "staged", "switched", "starting", "running", "abandoned"] as const;

export type SourceStage = (typeof sourceStages)[number];
export type TargetStage = (typeof targetStages)[number];

/** One way of one move. */
export interface Saga {
  /** `<project>/<stack>/<pillar>/<attempt>`. */
  readonly move: string;
  readonly direction: Direction;
}

/**
 * What is written on a host before a step changes anything there, so that whoever comes next, with or without Pulumi's
 * state, knows where the move stands (/var/lib/pillar-host/orchestrator.json, root only).
 */
export interface Journal extends Saga {
  readonly version: 1;
  readonly side: SideName;
  readonly other: { readonly address: string; readonly hostKey: string };
  readonly stage: SourceStage | TargetStage;
  /** ISO 8601, by the host's clock. */
  readonly at: string;
  /** As the signer was before it was fenced here; what bringing it back needs. */
  readonly was: { readonly enabled?: boolean; readonly unitFile?: string; readonly keyStore?: string };
  /** Of the signer that is moved, where its build tells. */
  readonly identity: Readonly<Record<string, string>> | null;
  /** Of all moves that came to this host, the last stage at the end. */
  readonly history: readonly { readonly stage: string; readonly at: string; readonly move?: string }[];
}

/** Whether a host is the one that the signer leaves in a saga (pure). */
export function isSource(side: SideName, { direction }: Saga): boolean {
  return (side === "old") === (direction === "forward");
}

/** The side that the signer leaves, and the one that it comes to (pure). */
export function sidesOf({ direction }: Saga): { source: SideName; target: SideName } {
  return direction === "forward" ? { source: "old", target: "new" } : { source: "new", target: "old" };
}

/** The name that a fenced key store has otherwise, as signer_plain_store tells it on a host (pure). */
export function plainStore(keyStore: string): string {
  return keyStore.replace(/\.moved-to-(?!.*\.moved-to-).*$/, "");
}

/** What precedes the attempt: whose move it is (pure). */
export function ownerOf(move: string): string {
  return move.slice(0, move.lastIndexOf("/"));
}

/**
 * Reads a journal (pure).
 *
 * @returns undefined where there is none
 * @throws where it is none of this program's, or of a later one: nobody may guess what it says
 */
export function parseJournal(text: string, where: string): Journal | undefined {
  if (text.trim() === "") return undefined;
  let found: Partial<Journal> | null;
  try {
    found = JSON.parse(text) as Partial<Journal> | null;
  } catch {
    found = null;
  }
  const stages: readonly string[] =
    found?.side && found.direction && isSource(found.side, found as Journal) ? sourceStages : targetStages;
  const isWhole =
    found !== null &&
    found.version === 1 &&
    typeof found.move === "string" &&
    (found.direction === "forward" || found.direction === "back") &&
    (found.side === "old" || found.side === "new") &&
    typeof found.other?.address === "string" &&
    (found.history === undefined || Array.isArray(found.history)) &&
    stages.includes(String(found.stage));
  if (isWhole) return { was: {}, identity: null, history: [], at: "", ...found } as Journal;
  throw new Error(
    `${where}: the journal of the orchestrator's move cannot be read\n` +
      `  found: ${found?.version === undefined || found.version === 1 ? "another form than this program writes" : `version ${found.version}`}, in ${journalFile}\n` +
      "  needed: version 1, as this program writes it. Was it written by a newer program, or changed by hand?\n" +
      "  Nothing was touched. Run pulumi up with the program that wrote it, or put the file right.",
  );
}

/**
 * Whether a journal's text is of this stack's moves, of any attempt (pure). What cannot be read is nobody's: the
 * prerequisites only ask, and the move says what is wrong with it ({@link parseJournal}).
 */
export function isOwn(journal: string | undefined, move: string): boolean {
  const { move: written } = readLoosely(journal);
  return written !== undefined && ownerOf(written) === ownerOf(move);
}

/** Whether a host's journal says that this move has begun: the old side is stopped, or about to be (pure). */
export function hasBegun(journal: string | undefined, move: string): boolean {
  const { move: written, stage } = readLoosely(journal);
  return written === move && stage !== undefined && stage !== "staging";
}

function readLoosely(text = ""): { readonly move?: string; readonly stage?: string } {
  try {
    const found = JSON.parse(text) as { move?: unknown; stage?: unknown } | null;
    return typeof found?.move === "string" ? { move: found.move, stage: String(found.stage) } : {};
  } catch {
    return {};
  }
}

export const journalFile = "/var/lib/pillar-host/orchestrator.json";
