import { formatMove, isSameMove, isSameOwner, type MoveId, parseMove } from "../../eventLog/moveId.ts";
import type { WhichHost } from "../../host/rootPair.ts";
import { isPrintable } from "../../util/printable.ts";
import { ProblemError } from "../../util/problem.ts";
import { lookUpStage, type Stage } from "./moveStages.ts";

export type { WhichHost };
export const bothSides = ["new", "old"] as const;

/** `forward`: from the old host to the new one; `back` with `orchestrator.rollback`. */
export type Direction = "forward" | "back";

export function formatHost(side: WhichHost, address: string): string {
  return `the ${side} host (${address})`;
}

export const journalVersion = 2;

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
  readonly version: typeof journalVersion;
  readonly generation: number;
  /** Fingerprints of the hosts' ssh keys. */
  readonly source: string;
  readonly target: string;
  readonly side: WhichHost;
  readonly other: { readonly address: string; readonly hostKey: string };
  readonly stage: Stage;
  /** ISO 8601, by the clock of the machine that ran the move. */
  readonly at: string;
  /** Name that the fence gives to the key store on this host, for a rollback. */
  readonly keyStore?: string | undefined;
  /** The orchestrator's identity; null if its build reports none. */
  readonly identity: Readonly<Record<string, string>> | null;
  /** Stages of all moves on this host, oldest first. */
  readonly history: readonly { stage: string; at: string; direction?: string; move?: MoveId | undefined }[];
}

export interface OrchestratorObservation {
  readonly journal?: Journal | undefined;
  /** The journal's file. A step changes nothing on a host whose file differs from the one that it was decided by. */
  readonly text?: string | undefined;
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

/** A move that was cut off while no host signs. */
export type CutOff = Readonly<NonNullable<ReturnType<typeof findCutOff>>>;

type MoveReading = Pick<OrchestratorObservation, "active" | "journal"> & { readonly leased: boolean };

/**
 * Returns the open move because of which no host signs, though no run is at work on it. Of a source that has fenced itself
 * the target has to be read, too: it may have been started.
 */
export function findCutOff(hosts: readonly MoveReading[]) {
  const journals = hosts.flatMap(({ journal }) => journal ?? []);
  if (hosts.some(({ active, leased }) => active || leased) || journals.some(({ stage }) => lookUpStage(stage).key))
    return undefined;
  const open = journals.find(({ stage }) => {
    const { isOpen, role, mayRun } = lookUpStage(stage);
    return isOpen && (role === "target" || mayRun || hosts.length > 1);
  });
  if (open === undefined) return undefined;
  const own = journals.filter(({ move }) => isSameMove(move, open.move));
  const since = Math.min(...own.flatMap((journal) => findOpenSince(journal) ?? []));
  /** `since`: unix milliseconds of the stop; `stack`: the one whose run continues the move. */
  return { since, stack: open.move.stack, stage: open.stage };
}

/** Returns when a host's open move began to change its orchestrator, in unix milliseconds: on a source, the stop. */
export function findOpenSince(journal: Pick<Journal, "history"> | undefined): number | undefined {
  const history = journal?.history ?? [];
  const start = history[history.findLastIndex(({ stage }) => !lookUpStage(stage).isOpen) + 1];
  return start && Date.parse(start.at);
}

/** True if a journal belongs to this stack's moves between these hosts, not to another pair's. */
export function belongsToPair(at: WhichHost, { move, side }: Journal, wanted: Saga): boolean {
  return isSameOwner(move, wanted.move) && side === at;
}

export function belongsToSaga(at: WhichHost, journal: Journal, saga: Saga): boolean {
  return (
    belongsToPair(at, journal, saga) && isSameMove(journal.move, saga.move) && journal.direction === saga.direction
  );
}

/** True if a target's journal shows that the source was fenced. That of a restore shows nothing: no source was asked. */
export function showsFencedSource(journal: Journal | undefined): boolean {
  return journal !== undefined && journal.isRestore !== true && lookUpStage(journal.stage).copy === "whole";
}

/** True if the orchestrator leaves this host in a saga. */
export function isSource(side: WhichHost, { direction }: Saga): boolean {
  return (side === "old") === (direction === "forward");
}

export function assignRoles({ direction }: Pick<Saga, "direction">): { source: WhichHost; target: WhichHost } {
  return direction === "forward" ? { source: "old", target: "new" } : { source: "new", target: "old" };
}

/** Returns a fenced key store's usual name, as orchestrator_plain_store does on a host. */
export function formatPlainStore(keyStore: string): string {
  return keyStore.replace(/\.moved-to-(?!.*\.moved-to-).*$/, "");
}

/** Parses a journal; undefined if empty. @throws ProblemError if the form is unknown: a guess could start two orchestrators */
export function parseJournal(text: string, where: string): Journal | undefined {
  if (text.trim() === "") return undefined;
  const found = parseJson(text);
  const move = parseMove(found?.move);
  const role = found?.side && found.direction && isSource(found.side, found as Journal) ? "source" : "target";
  const isWhole =
    found !== null &&
    found.version === journalVersion &&
    isGeneration(found.generation) &&
    areTexts({ move: found.move, source: found.source, target: found.target, at: found.at ?? "" }) &&
    areTexts({ ...found.other, address: found.other?.address }) &&
    move !== undefined &&
    (found.direction === "forward" || found.direction === "back") &&
    (found.side === "old" || found.side === "new") &&
    typeof (found.isRestore ?? false) === "boolean" &&
    isPrintable(found.keyStore ?? "") &&
    !found.keyStore?.includes("/") &&
    areTexts(found.identity) &&
    Array.isArray(found.history ?? []) &&
    (found.history ?? []).every((entry) => typeof entry?.stage === "string" && areTexts(entry)) &&
    lookUpStage(String(found.stage)).role === role;
  if (isWhole) {
    const history = (found.history ?? []).map((entry) => ({ ...entry, move: parseMove(entry.move) }));
    const { open, mayRun, ...rest } = found;
    return { identity: null, at: "", ...rest, move, history } as Journal;
  }
  throw new ProblemError({
    kind: "unreadableJournal",
    what: `${where}: the journal of the orchestrator's move cannot be read`,
    found: `${(found?.version ?? journalVersion) === journalVersion ? "another form than this program writes" : `version ${found?.version}`}, in ${journalFile}`,
    needed: `version ${journalVersion}, as this program writes it. Did a newer version of it write this journal, or did somebody change it?`,
    next: "Nothing was touched. Use the version of this program that wrote it, or repair the file.",
  });
}

/** True if a number is a valid generation, and the next one is, too. */
const isGeneration = (number: unknown): number is number =>
  Number.isSafeInteger(number) && (number as number) >= 1 && (number as number) < 1e9;

/** True if all values in a part of a journal are one-line texts. */
function areTexts(part: object | null | undefined): boolean {
  return typeof (part ?? {}) === "object" && Object.values(part ?? {}).every((value) => isPrintable(value));
}

/** A journal as in its file, where moves are texts; unchecked. */
export type WrittenJournal = Partial<Omit<Journal, "move" | "history">> & {
  readonly move?: unknown;
  readonly history?: readonly { stage: string; at: string; direction?: string; move?: unknown }[];
  /** For scripts, which know no stages: the stage while {@link StageMeaning.isOpen} or mayRun is true, else nothing. */
  readonly open?: string;
  readonly mayRun?: string;
};

/** Returns a journal's file, with a key on each line. */
export function formatJournal(journal: Journal): string {
  const { stage, history, ...rest } = journal;
  const { isOpen, mayRun } = lookUpStage(stage);
  const written: WrittenJournal = {
    ...rest,
    move: formatMove(journal.move),
    stage,
    open: isOpen ? stage : "",
    mayRun: mayRun ? stage : "",
    history: history.map((past) => ({ ...past, move: past.move && formatMove(past.move) })),
  };
  const lines = Object.entries(written).flatMap(([key, value]) =>
    value === undefined ? [] : [`  ${JSON.stringify(key)}: ${JSON.stringify(value)}`],
  );
  return `{\n${lines.join(",\n")}\n}\n`;
}

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
 * move left there (mayLieInPlace in nextJournal.ts).
 */
export function hasStagedNothing(journal: Journal | undefined, move: MoveId): boolean {
  if (journal === undefined) return true;
  return isSameMove(journal.move, move) ? journal.stage === "staging" : journal.stage === "moved";
}

export const journalFile = "/var/lib/pillar-host/orchestrator.json";
