import { z } from "zod";

/** Where a fault strikes; what is left out matches all. */
const place = { region: z.string().optional(), size: z.string().optional() };
const reach = {
  /** How often it strikes; without: until it is removed. */
  times: z.number().int().positive().optional(),
};
const requests = {
  method: z.string().optional(),
  /** Below /v2; `*` stands for one part. */
  path: z.string().optional(),
  ...reach,
};
/** The action's type: create, power_on, … */
const actions = { command: z.string().optional(), ...reach };

/** The table of what can go wrong on demand. */
export const faultSchema = z.discriminatedUnion("kind", [
  /** An error instead of the work: 401, 403, 409, 422, 429 (with Retry-After), 5xx. */
  z.strictObject({
    kind: z.literal("answer"),
    ...requests,
    status: z.number().int().min(400).max(599),
    message: z.string().optional(),
    /** Seconds. */
    retryAfter: z.number().int().nonnegative().optional(),
  }),
  /** The connection is cut instead of an answer: after the work, or before it. */
  z.strictObject({ kind: z.literal("cutAnswer"), ...requests, done: z.boolean().default(true) }),
  /** No room for new Droplets. It shows in the lists, or only when it is too late. */
  z.strictObject({
    kind: z.literal("noCapacity"),
    ...place,
    shows: z.enum(["catalogue", "create", "action"]).default("create"),
    ...reach,
  }),
  /** An action that ends in `errored`; a Droplet whose create failed stays "new", or vanishes. */
  z.strictObject({ kind: z.literal("failAction"), ...actions, vanishes: z.boolean().default(false) }),
  /** An action that takes this much longer; without `seconds` it never ends while the fault stands. */
  z.strictObject({ kind: z.literal("slowAction"), ...actions, seconds: z.number().nonnegative().optional() }),
  /** The Droplet is "active", its machine dead. */
  z.strictObject({ kind: z.literal("neverBoots"), server: z.string().optional(), ...reach }),
  /** The Droplet is "active" for this long before its addresses show (seen at the provider in 2026). */
  z.strictObject({ kind: z.literal("lateAddress"), ...place, seconds: z.number().nonnegative(), ...reach }),
]);

/** One row of the table. */
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

/** The faults that stand. */
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

  /** All faults of a kind that match, without using them up. */
  all<K extends Kind>(kind: K, subject: Subject = {}): Of<K>[] {
    return this.list().flatMap(({ fault }) => (fault.kind === kind && strikes(fault, subject) ? [fault as Of<K>] : []));
  }

  /** The first fault of a kind that matches; one that strikes a number of times is used up. */
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
