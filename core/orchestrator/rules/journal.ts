import { isSameMove, isSameOwner, type MoveId, parseMove } from "../../eventLog/moveId";
import { isPrintable } from "../../util/printable";

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
  readonly move: MoveId;
  readonly direction: Direction;
  /** Counts every way of every move of this signer: a later one has a higher number, whatever it is named. */
  readonly generation?: number;
}

/**
 * What is written on a host before a step changes anything there, so that whoever comes next, with or without Pulumi's
 * state, knows where the move stands (/var/lib/pillar-host/orchestrator.json, root only).
 */
export interface Journal extends Saga {
  readonly version: 1;
  readonly generation: number;
  /** Fingerprints of both hosts' keys, the one that the signer leaves, and the one that it comes to. */
  readonly source: string;
  readonly target: string;
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
  readonly history: readonly { readonly stage: string; readonly at: string; readonly move?: MoveId }[];
}

/** Whether a host is the one that the signer leaves in a saga. */
export function isSource(side: SideName, { direction }: Saga): boolean {
  return (side === "old") === (direction === "forward");
}

/** The side that the signer leaves, and the one that it comes to. */
export function sidesOf({ direction }: Pick<Saga, "direction">): { source: SideName; target: SideName } {
  return direction === "forward" ? { source: "old", target: "new" } : { source: "new", target: "old" };
}

/** The name that a fenced key store has otherwise, as signer_plain_store tells it on a host. */
export function plainStore(keyStore: string): string {
  return keyStore.replace(/\.moved-to-(?!.*\.moved-to-).*$/, "");
}

/**
 * Reads a journal.
 *
 * @returns undefined where there is none
 * @throws where it is none of this program's, or of a later one: nobody may guess what it says
 */
export function parseJournal(text: string, where: string): Journal | undefined {
  if (text.trim() === "") return undefined;
  const found = read(text);
  const move = parseMove(found?.move);
  const stages: readonly string[] =
    found?.side && found.direction && isSource(found.side, found as Journal) ? sourceStages : targetStages;
  const isWhole =
    found !== null &&
    found.version === 1 &&
    isGeneration(found.generation) &&
    areTexts({ move: found.move, source: found.source, target: found.target, at: found.at ?? "" }) &&
    areTexts({ ...found.other, address: found.other?.address }) &&
    move !== undefined &&
    (found.direction === "forward" || found.direction === "back") &&
    (found.side === "old" || found.side === "new") &&
    areTexts(found.was, { enabled: "boolean" }) &&
    [found.was?.unitFile, found.was?.keyStore].every((file = "/") => file.startsWith("/")) &&
    areTexts(found.identity) &&
    Array.isArray(found.history ?? []) &&
    (found.history ?? []).every((entry) => typeof entry?.stage === "string" && areTexts(entry)) &&
    stages.includes(String(found.stage));
  if (isWhole) {
    const history = (found.history ?? []).map(({ move: of, ...entry }) => ({ ...entry, ...moveOf(of) }));
    return { was: {}, identity: null, at: "", ...found, move, history } as Journal;
  }
  throw new Error(
    `${where}: the journal of the orchestrator's move cannot be read\n` +
      `  found: ${found?.version === undefined || found.version === 1 ? "another form than this program writes" : `version ${found.version}`}, in ${journalFile}\n` +
      "  needed: version 1, as this program writes it. Was it written by a newer program, or changed by hand?\n" +
      "  Nothing was touched. Use the version of this program that wrote it, or put the file right.",
  );
}

/** Further on a number could not be counted up any more. */
const isGeneration = (number: unknown): number is number =>
  Number.isSafeInteger(number) && (number as number) >= 1 && (number as number) < 1e9;

/** Tells whether a part of a journal has no values but texts of one line, where it is there; `except` names those of other types. */
function areTexts(part: object | null | undefined, except: Readonly<Record<string, string>> = {}): boolean {
  if (typeof (part ?? {}) !== "object") return false;
  return Object.entries(part ?? {}).every(([name, value]) => isPrintable(value) || typeof value === except[name]);
}

/** As it is written: moves are texts. */
export type WrittenJournal = Partial<Omit<Journal, "move" | "history">> & {
  readonly move?: unknown;
  readonly history?: readonly { readonly stage: string; readonly at: string; readonly move?: unknown }[];
};

function read(text: string): WrittenJournal | null {
  try {
    const found: unknown = JSON.parse(text);
    return typeof found === "object" ? found : null;
  } catch {
    return null;
  }
}

function moveOf(text: unknown): { readonly move?: MoveId } {
  const move = parseMove(text);
  return move === undefined ? {} : { move };
}

/**
 * Whether a journal's text is of this stack's moves, of any attempt. What cannot be read is nobody's: the
 * prerequisites only ask, and the move says what is wrong with it ({@link parseJournal}).
 */
export function isOwn(journal: string | undefined, move: MoveId): boolean {
  const written = parseMove(read(journal ?? "")?.move);
  return written !== undefined && isSameOwner(written, move);
}

/** Whether a host's journal says that this move has begun: the old side is stopped, or about to be. */
export function hasBegun(journal: string | undefined, move: MoveId): boolean {
  const found = read(journal ?? "");
  const written = parseMove(found?.move);
  return written !== undefined && isSameMove(written, move) && found?.stage !== "staging";
}

/** The number of this stack's last way there, where it got no further than the copy; 0 otherwise. */
export function copiedIn(journal: string | undefined, move: MoveId): number {
  const { stage, direction } = read(journal ?? "") ?? {};
  return stage === "staging" && direction === "forward" && isOwn(journal, move) ? generationIn(journal) : 0;
}

/**
 * Whether the host that a move goes to has nothing of it but, perhaps, what was copied beforehand: a signer may have left
 * it, in another move. What an abandoned move left there is the next one's to judge (orchestrator/journal.sh, signer_lies_in_place).
 */
export function hasStagedNothing(journal: Journal | undefined, move: MoveId): boolean {
  if (journal === undefined) return true;
  return isSameMove(journal.move, move) ? journal.stage === "staging" : journal.stage === "moved";
}

/** The number in a journal's text; 0 where there is none, or it cannot be read. */
export function generationIn(journal: string | undefined): number {
  const { generation } = read(journal ?? "") ?? {};
  return isGeneration(generation) ? generation : 0;
}

export const journalFile = "/var/lib/pillar-host/orchestrator.json";
