import type { z } from "zod";
import { formerNames } from "./configFaults";
import { isDuration } from "./duration";
import { type Raw, valueAt, withValue } from "./rawValues";
import { type Schema, schemaAt, schemaKeys } from "./schemaKeys";
import { knownKeys } from "./unknownKeys";
import { isTextForPath, meantBoolean, meantNumber, nearest, typedByPath } from "./whatWasMeant";

const anyHostKey = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${"A".repeat(43)}`;

/** What stands in for a required key, so that the rest of a configuration can be checked beside its absence. */
export const standIns: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["pillar", { name: "any" }],
  ["pillar.name", "any"],
  ["host", { provider: "existing", address: "192.0.2.1" }],
  ["host.address", "192.0.2.1"],
  ["host.token", "0".repeat(64)],
  ["ssh", { agent: true }],
  ["controller.release.url", "https://192.0.2.1/any.zip"],
  ["controller.go.url", "https://192.0.2.1/any.tar.gz"],
  ["controller.go.sha256", "0".repeat(64)],
  ["orchestrator.release.url", "https://192.0.2.1/any.tar.gz"],
  ["orchestrator.release.version", "v0.0.0"],
  ["orchestrator.migrateFrom.address", "192.0.2.2"],
  ["orchestrator.migrateFrom.hostKey", anyHostKey],
  ["retirement.successor.address", "192.0.2.2"],
  ["retirement.successor.hostKey", anyHostKey],
  ["sync.oldHost.address", "192.0.2.2"],
  ["sync.oldHost.hostKey", anyHostKey],
]);

/** The raw values without a fault, as far as they could be guessed. */
export interface Corrected {
  readonly raw: Raw;
  /** Where the value says nothing now of what the operator meant: faults there are of the stand-in. */
  readonly standsIn?: readonly PropertyKey[];
}

/**
 * Sets right what an issue tells of, as the operator probably meant it, else takes it away or lets another value stand
 * in (pure). For looking on only: the schema checks how keys fit together where each by itself is well-formed.
 */
export function correctionsOf(raw: Raw, issue: z.core.$ZodIssue, schema: Schema): Corrected[] {
  const { path } = issue;
  if (issue.code === "unrecognized_keys")
    return [{ raw: issue.keys.reduce((now, key) => moved(now, path, key, schema), raw) }];
  const value = valueAt(raw, path);
  const meant = meantValue(issue, value, schema);
  if (meant !== undefined) return [{ raw: withValue(raw, path, meant) }];
  if (variantsIn(issue) !== undefined) return [standIn(raw, path.slice(0, -1))];
  const isWellFormed = issue.code === "custom" && !isDurationAt(schema, path);
  return isWellFormed ? [] : [standIn(raw, path)];
}

function standIn(raw: Raw, path: readonly PropertyKey[]): Corrected {
  const block = path.map(String).join(".");
  return { raw: withValue(raw, path, standIns.get(block)), standsIn: path };
}

/** The values of the key by which a block's variants are told apart, where the issue is about it. */
function variantsIn(issue: z.core.$ZodIssue): string[] | undefined {
  if (issue.code !== "invalid_union" || !("options" in issue)) return undefined;
  return (issue.options ?? []).map(String);
}

function isDurationAt(schema: Schema, path: readonly PropertyKey[]): boolean {
  const inner = schemaAt(schema, path);
  return inner !== undefined && isDuration(inner);
}

function meantValue(issue: z.core.$ZodIssue, value: unknown, schema: Schema): unknown {
  if (issue.code === "invalid_value") return nearest(String(value), issue.values.map(String));
  const variants = variantsIn(issue);
  if (variants !== undefined)
    return nearest(String(value), variants) ?? (value === undefined && isExisting(issue) ? "existing" : undefined);
  if (issue.code !== "invalid_type") return undefined;
  if (issue.expected === "boolean") return meantBoolean(value);
  if (issue.expected === "number") return meantNumber(value);
  const isPlain = typeof value === "number" || typeof value === "boolean";
  return issue.expected === "string" && isPlain && !isDurationAt(schema, issue.path) ? String(value) : undefined;
}

/** An address is what only such a host has. */
const isExisting = ({ input }: z.core.$ZodIssue) => typeof input === "object" && input !== null && "address" in input;

/** A key that its block does not have, where it probably belongs; nowhere, if something is there already. */
function moved(raw: Raw, block: readonly PropertyKey[], key: string, schema: Schema): Raw {
  const from = [...block, key];
  const without = withValue(raw, from, undefined);
  const now = formerNames.get(from.map(String).join("."))?.split(".");
  const dotted = block.length === 0 && key.includes(".") ? key.split(".") : undefined;
  const near = nearest(key, knownKeys(schema, block, raw));
  const to = now ?? dotted ?? (near === undefined ? undefined : [...block, near]);
  const target = to && schemaAt(schema, to);
  if (to === undefined || target === undefined || valueAt(raw, to) !== undefined) return without;
  const value = valueAt(raw, from);
  // Set without --path everything is text.
  const typed = dotted !== undefined && typeof value === "string" && !isTextForPath(value, target);
  return withValue(without, to, typed ? typedByPath(value) : value);
}

/** The keys that a configuration, or a block that it has, must say (pure). */
export function requiredKeys(schema: Schema): string[] {
  const required = schemaKeys(schema).filter(({ schema: inner }) => !(inner as z.ZodType).safeParse(undefined).success);
  return [...new Set(required.map(({ path }) => path.join(".")))];
}
