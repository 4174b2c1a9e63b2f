import { isSameMove, isSameOwner, type MoveId, parseMove } from "../../eventLog/moveId.ts";
import { isPrintable } from "../../util/printable.ts";
import { ProblemError } from "../../util/problem.ts";

/** `forward`: from the old host to the new one; `back` with `orchestrator.rollback`. */
export type Direction = "forward" | "back";
export type WhichHost = "old" | "new";
export const bothSides = ["new", "old"] as const;

export function formatHost(side: WhichHost, address: string): string {
  return `the ${side} host (${address})`;
}

/** Stages in order; `restoring` and `restored` belong to a rollback. */
export const sourceStages = ["stopping", "fenced", "moved", "restoring", "restored"] as const;
/** Stages in order; `abandoned` belongs to a rollback. */
export const targetStages = ["staging", "staged", "switched", "starting", "running", "abandoned"] as const;

/** A move in one direction: there, or back. */
export interface Saga {
  readonly move: MoveId;
  readonly direction: Direction;
  /** Number of the saga, counted over all moves of this orchestrator. */
  readonly generation?: number;
  /** True if a backup takes the place of the source, which is lost and fenced (docs/restore.md). */
  readonly isRestore?: boolean;
}

/**
 * State of a move on a host (/var/lib/pillar-host/orchestrator.json, root only), written before a step changes anything
 * there: the next run knows how far the move is, even without Pulumi's state.
 */
export interface Journal extends Saga {
  readonly version: 1;
  readonly generation: number;
  /** Fingerprints of the hosts' ssh keys. */
  readonly source: string;
  readonly target: string;
  readonly side: WhichHost;
  readonly other: { readonly address: string; readonly hostKey: string };
  readonly stage: (typeof sourceStages)[number] | (typeof targetStages)[number];
  /** ISO 8601, by the host's clock. */
  readonly at: string;
  /** Unit and key store before the fence, for a rollback. */
  readonly was: { readonly enabled?: boolean; readonly unitFile?: string; readonly keyStore?: string };
  /** The orchestrator's identity; null if its build reports none. */
  readonly identity: Readonly<Record<string, string>> | null;
  /** Stages of all moves on this host, oldest first. */
  readonly history: readonly { readonly stage: string; readonly at: string; readonly move?: MoveId | undefined }[];
}

export interface OrchestratorObservation {
  readonly journal?: Journal | undefined;
  /** True if a process of the orchestrator lives, or systemd is about to start one. */
  readonly active: boolean;
  /** True if the unit is masked, also after a reboot. */
  readonly masked: boolean;
  /** True if an abandoned move's files still lie where a start would find them, because `seal` was interrupted. */
  readonly inPlace?: boolean;
}

/** Undefined: no answer, or another machine answers. */
export type HostState = OrchestratorObservation | undefined;

export type HostStates = Readonly<Record<WhichHost, HostState>>;

/** True if a journal belongs to this stack's moves between these hosts, not to another pair's. */
export function belongsToPair(at: WhichHost, { move, side }: Journal, wanted: Saga): boolean {
  return isSameOwner(move, wanted.move) && side === at;
}

export function belongsToSaga(at: WhichHost, journal: Journal, saga: Saga): boolean {
  return (
    belongsToPair(at, journal, saga) && isSameMove(journal.move, saga.move) && journal.direction === saga.direction
  );
}

/** Stages that the target of a move reaches only after its source was stopped and fenced itself. */
const fencedStages: readonly string[] = ["staged", "switched", "starting", "running"];

/** True if a target's journal shows that the source was fenced. That of a restore shows nothing: no source was asked. */
export function showsFencedSource(journal: Journal | undefined): boolean {
  return journal !== undefined && journal.isRestore !== true && fencedStages.includes(journal.stage);
}

/** Stages of a move that left at most a copy on its host. */
export const copyStages: readonly string[] = ["staging", "abandoned"];

/** True if the orchestrator leaves this host in a saga. */
export function isSource(side: WhichHost, { direction }: Saga): boolean {
  return (side === "old") === (direction === "forward");
}

export function assignRoles({ direction }: Pick<Saga, "direction">): { source: WhichHost; target: WhichHost } {
  return direction === "forward" ? { source: "old", target: "new" } : { source: "new", target: "old" };
}

/** Returns a fenced key store's usual name, as signer_plain_store does on a host. */
export function formatPlainStore(keyStore: string): string {
  return keyStore.replace(/\.moved-to-(?!.*\.moved-to-).*$/, "");
}

/** Parses a journal; undefined if empty. @throws ProblemError if the form is unknown: a guess could start two orchestrators */
export function parseJournal(text: string, where: string): Journal | undefined {
  if (text.trim() === "") return undefined;
  const found = parseJson(text);
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
    typeof (found.isRestore ?? false) === "boolean" &&
    areTexts(found.was, { enabled: "boolean" }) &&
    [found.was?.unitFile, found.was?.keyStore].every((file = "/") => file.startsWith("/")) &&
    areTexts(found.identity) &&
    Array.isArray(found.history ?? []) &&
    (found.history ?? []).every((entry) => typeof entry?.stage === "string" && areTexts(entry)) &&
    stages.includes(String(found.stage));
  if (isWhole) {
    const history = (found.history ?? []).map((entry) => ({ ...entry, move: parseMove(entry.move) }));
    return { was: {}, identity: null, at: "", ...found, move, history } as Journal;
  }
  throw new ProblemError({
    kind: "unreadableJournal",
    what: `${where}: the journal of the orchestrator's move cannot be read`,
    found: `${(found?.version ?? 1) === 1 ? "another form than this program writes" : `version ${found?.version}`}, in ${journalFile}`,
    needed:
      "version 1, as this program writes it. Did a newer version of it write this journal, or did somebody change it?",
    next: "Nothing was touched. Use the version of this program that wrote it, or repair the file.",
  });
}

/** True if a number is a valid generation, and the next one is, too. */
const isGeneration = (number: unknown): number is number =>
  Number.isSafeInteger(number) && (number as number) >= 1 && (number as number) < 1e9;

/** True if all values in a part of a journal are one-line texts; `except`: properties with another type. */
function areTexts(part: object | null | undefined, except: Readonly<Record<string, string>> = {}): boolean {
  if (typeof (part ?? {}) !== "object") return false;
  return Object.entries(part ?? {}).every(([name, value]) => isPrintable(value) || typeof value === except[name]);
}

/** A journal as in its file, where moves are texts; unchecked. */
export type WrittenJournal = Partial<Omit<Journal, "move" | "history">> & {
  readonly move?: unknown;
  readonly history?: readonly { readonly stage: string; readonly at: string; readonly move?: unknown }[];
};

function parseJson(text = ""): WrittenJournal | null {
  try {
    const found: unknown = JSON.parse(text);
    return typeof found === "object" ? found : null;
  } catch {
    return null;
  }
}

/**
 * True if, by its journal, the new host holds at most a bulk copy of this move. The next move judges what an abandoned
 * move left there (orchestrator/journal.sh, signer_lies_in_place).
 */
export function hasStagedNothing(journal: Journal | undefined, move: MoveId): boolean {
  if (journal === undefined) return true;
  return isSameMove(journal.move, move) ? journal.stage === "staging" : journal.stage === "moved";
}

export const journalFile = "/var/lib/pillar-host/orchestrator.json";
