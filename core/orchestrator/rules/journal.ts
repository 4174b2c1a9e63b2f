import { z } from "zod";
import { formatMove, isSameMove, isSameOwner, type MoveId, parseMove } from "../../eventLog/moveId.ts";
import type { WhichHost } from "../../host/rootPair.ts";
import { parseJson } from "../../util/parseJson.ts";
import { isPrintable } from "../../util/printable.ts";
import { ProblemError } from "../../util/problem.ts";
import { lookUpStage, stageNames } from "./journalStages.ts";

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

const line = z.string().refine(isPrintable);

const journalSchema = z
  .object({
    version: z.literal(journalVersion),
    move: line.transform(parseMove).refine((move) => move !== undefined),
    direction: z.enum(["forward", "back"]),
    /** The next one has to be valid, too. */
    generation: z.int().min(1).lt(1e9),
    isRestore: z.boolean().optional(),
    /** Fingerprints of the hosts' ssh keys. */
    source: line,
    target: line,
    side: z.enum(["old", "new"]),
    other: z.object({ address: line, hostKey: line }),
    stage: z.enum(stageNames),
    /** ISO 8601, by the clock of the machine that ran the move. */
    at: line.default(""),
    /** Name that the fence gives to the key store on this host, for a rollback. */
    keyStore: line.regex(/^[^/]*$/).optional(),
    /** The orchestrator's identity; null if its build reports none. */
    identity: z.record(z.string(), line).nullable().default(null),
    /** Stages of all moves on this host, oldest first. */
    history: z
      .array(
        z.object({ stage: line, at: line, direction: line.optional(), move: line.transform(parseMove).optional() }),
      )
      .readonly()
      .default([]),
  })
  .refine((journal) => lookUpStage(journal.stage).role === (isSource(journal.side, journal) ? "source" : "target"));

/**
 * State of a move on a host (/var/lib/pillar-host/orchestrator.json, root only), written before a step changes anything
 * there: the next run knows how far the move is, even without Pulumi's state.
 */
export type Journal = Readonly<z.infer<typeof journalSchema>>;

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
  const parsed = journalSchema.safeParse(found);
  if (parsed.success) return parsed.data;
  const { version = journalVersion } = (found ?? {}) as { readonly version?: unknown };
  throw new ProblemError({
    kind: "unreadableJournal",
    what: `${where}: the journal of the orchestrator's move cannot be read`,
    found: `${version === journalVersion ? "another form than this program writes" : `version ${version}`}, in ${journalFile}`,
    needed: `version ${journalVersion}, as this program writes it. Did a newer version of it write this journal, or did somebody change it?`,
    next: "Nothing was touched. Use the version of this program that wrote it, or repair the file.",
  });
}

/** Returns a journal's file, with a key on each line. */
export function formatJournal(journal: Journal): string {
  const { stage, history, ...rest } = journal;
  const { isOpen, mayRun } = lookUpStage(stage);
  const written = {
    ...rest,
    move: formatMove(journal.move),
    stage,
    // For scripts, which know no stages.
    open: isOpen ? stage : "",
    mayRun: mayRun ? stage : "",
    history: history.map((past) => ({ ...past, move: past.move && formatMove(past.move) })),
  };
  const lines = Object.entries(written).flatMap(([key, value]) =>
    value === undefined ? [] : [`  ${JSON.stringify(key)}: ${JSON.stringify(value)}`],
  );
  return `{\n${lines.join(",\n")}\n}\n`;
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
