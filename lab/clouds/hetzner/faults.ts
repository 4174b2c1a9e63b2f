import { z } from "zod";
import type { ActionError, Resource } from "./actions";
import { usualError } from "./apiError";
import { match } from "./http";

const reach = {
  /** Number of times that the fault strikes (default: always). */
  times: z.int().positive().optional(),
};
const requests = {
  method: z.string().optional(),
  /** Path below /v1. `*` matches one part: `/servers/*` + `/actions/poweron`. */
  path: z.string().optional(),
};

/** Everything that a test can make fail. */
export const faultSchema = z.discriminatedUnion("kind", [
  /**
   * No capacity for a location, a server type, or both. The catalogue shows it, or creation fails, or the action after
   * it fails.
   */
  z.strictObject({
    kind: z.literal("noCapacity"),
    location: z.string().optional(),
    serverType: z.string().optional(),
    shows: z.enum(["catalogue", "create", "action"]).default("create"),
    ...reach,
  }),
  /** The request gets this answer and does nothing. */
  z.strictObject({
    kind: z.literal("answer"),
    ...requests,
    status: z.int().min(400).max(599),
    code: z.string().optional(),
    message: z.string().optional(),
    retryAfter: z.number().optional(),
    ...reach,
  }),
  /** The connection is cut before the answer: after the work if `done` is true, else before the work. */
  z.strictObject({ kind: z.literal("cutAnswer"), ...requests, done: z.boolean().default(true), ...reach }),
  z.strictObject({ kind: z.literal("slowAction"), command: z.string().optional(), seconds: z.number(), ...reach }),
  z.strictObject({
    kind: z.literal("failAction"),
    command: z.string().optional(),
    code: z.string().default("action_failed"),
    message: z.string().default("Action failed"),
    ...reach,
  }),
  /** The API says running, but no machine ever answers. */
  z.strictObject({ kind: z.literal("neverBoots"), server: z.string().optional(), ...reach }),
]);

export type Fault = z.infer<typeof faultSchema>;
type Kind = Fault["kind"];
type Of<K extends Kind> = Extract<Fault, { kind: K }>;

export class Faults {
  private readonly table = new Map<number, { fault: Fault; struck: number }>();
  private last = 0;

  add(fault: Fault): number {
    this.last += 1;
    this.table.set(this.last, { fault, struck: 0 });
    return this.last;
  }

  /** Removes one fault, or all of them without an id. */
  clear(id?: number): void {
    if (id === undefined) this.table.clear();
    else this.table.delete(id);
  }

  /** Returns the first active fault of a kind that applies, and counts one strike. */
  strike<K extends Kind>(kind: K, applies: (fault: Of<K>) => boolean): Of<K> | undefined {
    for (const entry of this.table.values()) {
      const fault = entry.fault as Of<K>;
      if (fault.kind !== kind || !this.isInForce(entry) || !applies(fault)) continue;
      entry.struck += 1;
      return fault;
    }
    return undefined;
  }

  /** True if a fault of a kind applies. Counts no strike, for requests that only read. */
  shows<K extends Kind>(kind: K, applies: (fault: Of<K>) => boolean): boolean {
    return [...this.table.values()].some(
      (entry) => entry.fault.kind === kind && this.isInForce(entry) && applies(entry.fault as Of<K>),
    );
  }

  private isInForce({ fault, struck }: { fault: Fault; struck: number }): boolean {
    return struck < (fault.times ?? Number.POSITIVE_INFINITY);
  }

  /** Throws if a test wants the request to be refused. */
  refuse(method: string, path: string): void {
    const fault = this.strike("answer", (one) => isFor(one, method, path));
    if (fault) throw usualError(fault.status, fault.code, fault.message, fault.retryAfter);
  }

  cut(method: string, path: string, done: boolean): boolean {
    return this.strike("cutAnswer", (one) => one.done === done && isFor(one, method, path)) !== undefined;
  }

  fate(usualSeconds: number) {
    return (command: string, _resources: readonly Resource[]): { seconds: number; error: ActionError | null } => {
      const concerns = (fault: { command?: string | undefined }) => (fault.command ?? command) === command;
      const slow = this.strike("slowAction", concerns);
      const failing = this.strike("failAction", concerns);
      const error = failing ? { code: failing.code, message: failing.message } : null;
      return { seconds: slow?.seconds ?? usualSeconds, error };
    };
  }
}

function isFor(
  fault: { method?: string | undefined; path?: string | undefined },
  method: string,
  path: string,
): boolean {
  return (fault.method ?? method) === method && match(fault.path ?? path, path) !== undefined;
}
