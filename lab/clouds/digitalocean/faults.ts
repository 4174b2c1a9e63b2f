import { z } from "zod";

/** Region and size that a fault applies to. A missing value matches all. */
const place = { region: z.string().optional(), size: z.string().optional() };
const reach = {
  /** Number of times that the fault strikes (default: until it is removed). */
  times: z.number().int().positive().optional(),
};
const requests = {
  method: z.string().optional(),
  /** Path below /v2. `*` matches one part. */
  path: z.string().optional(),
  ...reach,
};
/** Type of the action: create, power_on, … */
const actions = { command: z.string().optional(), ...reach };

/** Everything that a test can make fail. */
export const faultSchema = z.discriminatedUnion("kind", [
  /** The request gets this error and does nothing: 401, 403, 409, 422, 429 (with Retry-After), 5xx. */
  z.strictObject({
    kind: z.literal("answer"),
    ...requests,
    status: z.number().int().min(400).max(599),
    message: z.string().optional(),
    /** Seconds. */
    retryAfter: z.number().int().nonnegative().optional(),
  }),
  /** The connection is cut before the answer: after the work if `done` is true, else before the work. */
  z.strictObject({ kind: z.literal("cutAnswer"), ...requests, done: z.boolean().default(true) }),
  /** No capacity for new Droplets. The lists show it, or creation fails, or the action after it fails. */
  z.strictObject({
    kind: z.literal("noCapacity"),
    ...place,
    shows: z.enum(["catalogue", "create", "action"]).default("create"),
    ...reach,
  }),
  /** The action ends as `errored`. If a create fails, its Droplet stays "new" or vanishes. */
  z.strictObject({ kind: z.literal("failAction"), ...actions, vanishes: z.boolean().default(false) }),
  /** The action takes longer by this time. Without `seconds` it cannot end while the fault exists. */
  z.strictObject({ kind: z.literal("slowAction"), ...actions, seconds: z.number().nonnegative().optional() }),
  /** The Droplet is "active" but its machine is dead. */
  z.strictObject({ kind: z.literal("neverBoots"), server: z.string().optional(), ...reach }),
  /** The Droplet is "active" for this long before its addresses appear (seen at the provider in 2026). */
  z.strictObject({ kind: z.literal("lateAddress"), ...place, seconds: z.number().nonnegative(), ...reach }),
]);

export type Fault = z.infer<typeof faultSchema>;
type Kind = Fault["kind"];
type Of<K extends Kind> = Extract<Fault, { kind: K }>;

interface Subject {
  readonly method?: string;
  readonly path?: string;
  readonly region?: string;
  readonly size?: string;
  readonly command?: string;
  readonly server?: string;
}

export class Faults {
  readonly #standing = new Map<number, Fault>();
  #next = 1;

  add(fault: Fault): number {
    this.#standing.set(this.#next, fault);
    return this.#next++;
  }

  remove(id?: number): void {
    if (id === undefined) this.#standing.clear();
    else this.#standing.delete(id);
  }

  list(): { id: number; fault: Fault }[] {
    return [...this.#standing].map(([id, fault]) => ({ id, fault }));
  }

  /** Returns all matching faults of a kind. Counts no strike. */
  all<K extends Kind>(kind: K, subject: Subject = {}): Of<K>[] {
    return this.list().flatMap(({ fault }) => (fault.kind === kind && strikes(fault, subject) ? [fault as Of<K>] : []));
  }

  /** Returns the first matching fault of a kind and counts one strike. Removes the fault after its last strike. */
  strike<K extends Kind>(kind: K, subject: Subject, also: (fault: Of<K>) => boolean = () => true): Of<K> | undefined {
    const found = this.list().find(
      ({ fault }) => fault.kind === kind && strikes(fault, subject) && also(fault as Of<K>),
    );
    if (!found) return undefined;
    const { id, fault } = found;
    if (fault.times === 1) this.#standing.delete(id);
    else if (fault.times !== undefined) this.#standing.set(id, { ...fault, times: fault.times - 1 });
    return fault as Of<K>;
  }
}

function strikes(fault: Fault, subject: Subject): boolean {
  const wanted = fault as Subject;
  const path = (subject.path ?? "").replace(/^\/v2/, "").split("/");
  const parts = wanted.path?.split("/");
  if (parts && (parts.length !== path.length || parts.some((part, at) => part !== "*" && part !== path[at])))
    return false;
  return (["method", "region", "size", "command", "server"] as const).every(
    (key) => wanted[key] === undefined || wanted[key] === subject[key],
  );
}
