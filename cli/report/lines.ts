import { z } from "zod";
import type { EventName, LogEvent, MoveEvent, MoveEventName } from "../../core/eventLog/events";
import { lineOf } from "../../core/eventLog/line";

/** What a record holds, as far as this program knows it. */
export interface Lines {
  readonly events: readonly LogEvent[];
  readonly moves: readonly MoveEvent[];
  /** Lines of unknown kind, or broken off. */
  readonly unread: number;
}

const time = z.string().refine((text) => !Number.isNaN(Date.parse(text)));
const texts = z.array(z.string());
const figures = z.object({ expected: z.number(), produced: z.number() }).optional();
const point = z.tuple([z.number(), z.number(), z.number()]);

const stackDetails = {
  host: z.object({ address: z.string(), provider: z.string(), serverId: z.string().optional() }),
  recorded: z.object({ height: z.number(), hash: z.string() }),
  waiting: z.object({
    ...{ address: z.string(), startedAt: time, startHeight: z.number().optional(), curve: z.array(point) },
  }),
  synced: z.object({
    ...{ startedAt: time, syncedAt: time, startHeight: z.number(), currentHeight: z.number() },
    ...{ proved: texts, unproved: texts, curve: z.array(point) },
    witnessed: z.object({ height: z.number(), hash: z.string() }).optional(),
  }),
  stepUnproved: z.object({ step: z.string() }),
  chainCopyBegun: z.object({ from: z.string() }),
  chainCopied: z.object({
    ...{ from: z.string(), files: z.number(), bytes: z.number(), seconds: z.number(), height: z.number() },
    ...{ manifest: z.string(), extraBytes: z.number() },
  }),
  registered: z.object({ producerAddress: z.string(), figures }),
  registeredTooEarly: z.object({ producerAddress: z.string(), earlier: z.string().optional() }),
  registeredElsewhere: z.object({ producerAddress: z.string() }),
  producing: z.object({
    ...{ producerAddress: z.string(), height: z.number(), switchedAt: time, figures },
    before: z.object({ producerAddress: z.string(), height: z.number(), at: time }).optional(),
    orBefore: z.literal(true).optional(),
    empty: z.number().optional(),
  }),
  shuttingDown: z.object({ address: z.string() }),
  shutDown: z.object({ address: z.string(), evidence: texts }),
  rewards: z.object({ evidence: texts, saidBy: z.literal("operator").optional() }),
  told: z.object({ notice: z.string() }),
  refused: z.object({ reasons: texts }),
  override: z.object({ sentence: z.string(), reasons: texts }),
  released: z.object({ evidence: texts, serverId: z.string().optional() }),
} satisfies Record<EventName, z.ZodType>;

const ended = z.object({
  ...{ holder: z.enum(["old", "new"]), version: z.string().optional(), movedAt: time.optional() },
  ...{ secondsWithoutSigner: z.number().optional(), lastBackup: z.string().optional() },
});
const way = z.object({
  ...{ direction: z.enum(["forward", "back"]), generation: z.number(), source: z.string(), target: z.string() },
});
const moveDetails = {
  backup: z.object({
    ...{ label: z.string().optional(), file: z.string(), identityFile: z.string(), sha256: z.string() },
    ...{ sealedBytes: z.number(), files: z.number(), bytes: z.number(), provedAt: time },
  }),
  secured: z.object({ oldVersion: z.string().optional(), checkedAt: time.optional() }),
  begun: way,
  starting: way,
  done: ended,
  rolledBack: ended,
  failed: z.object({ error: z.string().optional() }),
} satisfies Record<MoveEventName, z.ZodType>;

/**
 * Reads a record (pure). Of each line only the fields are taken that are known here: whatever else stands in the file
 * gets into no report.
 */
export function linesOf(text: string, where = "record.jsonl"): Lines {
  const events: LogEvent[] = [];
  const moves: MoveEvent[] = [];
  let unread = 0;
  for (const line of text.split("\n").filter((each) => each.trim() !== "")) {
    const read = knownOf(lineOf(line, where));
    if (read === undefined) unread += 1;
    else if ("move" in read) moves.push(read);
    else events.push(read);
  }
  return { events, moves, unread };
}

function knownOf(entry: LogEvent | MoveEvent | undefined): LogEvent | MoveEvent | undefined {
  if (entry === undefined || !time.safeParse(entry.at).success) return undefined;
  const known: Readonly<Record<string, z.ZodType>> = "move" in entry ? moveDetails : stackDetails;
  const schema = Object.hasOwn(known, entry.event) ? known[entry.event] : undefined;
  const details = schema?.safeParse(entry.details);
  return details?.success ? ({ ...entry, details: details.data } as LogEvent | MoveEvent) : undefined;
}
