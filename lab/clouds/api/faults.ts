import { z } from "zod";
import { match } from "./http";

const reach = {
  /** Number of times that the fault strikes (default: until it is cleared). */
  times: z.int().positive().optional(),
};
const requests = {
  method: z.string().optional(),
  /** Path below the version. `*` matches one part: `/servers/*` + `/actions/poweron`. */
  path: z.string().optional(),
  ...reach,
};
/** Command of the action, in the API's words: create_server, create, … */
const actions = { command: z.string().optional(), ...reach };

/** Everything that a test can make fail. */
export const faultSchema = z.discriminatedUnion("kind", [
  /** No capacity for new servers at a location, or anywhere: the order fails, or the action after it. */
  z.strictObject({
    kind: z.literal("noCapacity"),
    location: z.string().optional(),
    shows: z.enum(["create", "action"]).default("create"),
    ...reach,
  }),
  /** The request gets this error and does nothing. */
  z.strictObject({
    kind: z.literal("answer"),
    ...requests,
    status: z.int().min(400).max(599),
    message: z.string().optional(),
  }),
  /** The connection is cut after the work and before the answer. */
  z.strictObject({ kind: z.literal("cutAnswer"), ...requests }),
  /** The action does not end while the fault exists. */
  z.strictObject({ kind: z.literal("slowAction"), ...actions }),
  z.strictObject({ kind: z.literal("failAction"), ...actions }),
  /** The API calls the server running, but no machine ever answers. */
  z.strictObject({ kind: z.literal("neverBoots"), ...reach }),
  /** The server runs for this long before its address appears (seen at DigitalOcean in 2026). */
  z.strictObject({ kind: z.literal("lateAddress"), seconds: z.number().nonnegative(), ...reach }),
]);

type Fault = z.infer<typeof faultSchema>;
type Kind = Fault["kind"];
type Of<K extends Kind> = Extract<Fault, { kind: K }>;

/** Something that a fault may apply to. */
interface Subject {
  readonly method?: string;
  readonly path?: string;
  readonly location?: string;
  readonly shows?: "create" | "action";
  readonly command?: string;
}

export class Faults {
  private readonly table = new Map<number, Fault>();
  private last = 0;

  add(fault: z.input<typeof faultSchema>): number {
    this.last += 1;
    this.table.set(this.last, faultSchema.parse(fault));
    return this.last;
  }

  /** Removes one fault, or all of them without an id. */
  clear(id?: number): void {
    if (id === undefined) this.table.clear();
    else this.table.delete(id);
  }

  /** True if a fault of a kind applies. Counts no strike. */
  has(kind: Kind, subject: Subject): boolean {
    return this.find(kind, subject) !== undefined;
  }

  /** Returns the first fault of a kind that applies, and counts one strike. Removes the fault after its last strike. */
  strike<K extends Kind>(kind: K, subject: Subject = {}): Of<K> | undefined {
    const [id, fault] = this.find(kind, subject) ?? [];
    if (id === undefined || fault === undefined) return undefined;
    if (fault.times === 1) this.table.delete(id);
    else if (fault.times !== undefined) this.table.set(id, { ...fault, times: fault.times - 1 });
    return fault as Of<K>;
  }

  private find(kind: Kind, subject: Subject): [number, Fault] | undefined {
    return [...this.table].find(([, fault]) => fault.kind === kind && applies(fault, subject));
  }
}

function applies(fault: Fault, subject: Subject): boolean {
  const wanted = fault as Subject;
  if (wanted.path !== undefined && match(wanted.path, subject.path ?? "") === undefined) return false;
  return (["method", "location", "shows", "command"] as const).every(
    (key) => wanted[key] === undefined || wanted[key] === subject[key],
  );
}
