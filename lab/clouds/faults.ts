import { z } from "zod";

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

/** Everything that a test can make fail. */
export const faultSchema = z.discriminatedUnion("kind", [
  /** No capacity for new servers at a location, or anywhere: the order fails, or the action after it. */
  z.strictObject({
    kind: z.literal("noCapacity"),
    location: z.string().optional(),
    shows: z.enum(["create", "action"]).default("create"),
    ...reach,
  }),
  /** The account's limit is reached: the order fails with the provider's words. */
  z.strictObject({ kind: z.literal("quota"), ...reach }),
  /** The request gets this error and does nothing. */
  z.strictObject({
    kind: z.literal("answer"),
    ...requests,
    status: z.int().min(400).max(599),
    message: z.string().optional(),
  }),
  /** The connection is cut after the work and before the answer. */
  z.strictObject({ kind: z.literal("cutAnswer"), ...requests }),
  /** The action does not end while the fault exists. `command`: in the API's words, such as create_server or create. */
  z.strictObject({ kind: z.literal("slowAction"), command: z.string() }),
  /** The API calls the server running, but no machine ever answers. */
  z.strictObject({ kind: z.literal("neverBoots"), ...reach }),
]);

type Fault = z.infer<typeof faultSchema>;
type Of<K extends Fault["kind"]> = Extract<Fault, { kind: K }>;

/** Something that a fault may apply to. */
type Subject = Readonly<Partial<Record<"method" | "path" | "location" | "shows" | "command", string>>>;

export class Faults {
  private readonly table = new Map<number, Fault & { times?: number | undefined }>();
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

  /** Returns the first fault of a kind that applies, and counts one strike. Removes the fault after its last strike. */
  strike<K extends Fault["kind"]>(kind: K, subject: Subject = {}): Of<K> | undefined {
    const [id, fault] =
      [...this.table].find(([, each]) => each.kind === kind && applies(each as Subject, subject)) ?? [];
    if (id === undefined || fault === undefined) return undefined;
    if (fault.times === 1) this.table.delete(id);
    else if (fault.times !== undefined) this.table.set(id, { ...fault, times: fault.times - 1 });
    return fault as Of<K>;
  }
}

function applies(fault: Subject, subject: Subject): boolean {
  if (fault.path !== undefined && match(fault.path, subject.path ?? "") === undefined) return false;
  return (["method", "location", "shows", "command"] as const).every(
    (key) => fault[key] === undefined || fault[key] === subject[key],
  );
}

/** Returns a path's parameters by a pattern such as /servers/:id or /servers/*, or undefined if it does not match. */
export function match(pattern: string, path: string): Record<string, string> | undefined {
  const [wanted, given] = [pattern.split("/"), path.split("/")];
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? "";
    if (part.startsWith(":")) params[part.slice(1)] = decodeURIComponent(value);
    else if (part !== value && part !== "*") return undefined;
  }
  return params;
}
