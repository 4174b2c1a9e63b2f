import type { Commands } from "../util/commands";
import { formerNames, project } from "./configFaults";
import { metaOf, type Schema, schemaAt, shapesOf, variantOf } from "./schemaKeys";
import { isTextForPath, nearest } from "./whatWasMeant";

/** What a fault is told with. */
export interface FaultContext {
  readonly schema: Schema;
  /** The raw configuration: key, without `pillar-host:`, to value. */
  readonly raw: Readonly<Record<string, unknown>>;
  readonly run: Commands;
}

/** What is wrong with a key that its block does not have, and what is needed (pure). */
export function unknownKeyText(key: string, block: readonly PropertyKey[], { schema, raw, run }: FaultContext): string {
  const path = [...block, key].map(String);
  const name = path.join(".");
  const now = formerNames.get(name);
  if (now !== undefined)
    return `is called ${now} now. Move it: ${run.setTo(now, `"$(${run.get(name)})"`)} && ${run.remove(name)}`;
  const inside = block.length === 0 && key.includes(".") ? schemaAt(schema, key.split(".")) : undefined;
  if (inside !== undefined) {
    const value = `"$(${run.getPlain(key)})"`;
    const set = metaOf(inside).secret
      ? run.setSecret(key)
      : (isTextForPath(raw[key], inside) ? run.setTextTo : run.setTo)(key, value);
    return `was set without --path, which makes it a key of its own. Move it: ${set} && ${run.removePlain(key)}`;
  }
  const ofOthers = variantsWith(key, block, schema, raw);
  if (ofOthers !== undefined) return `${ofOthers} (${run.remove(name)})`;
  const known = knownKeys(schema, block, raw);
  if (known.length === 0) return "no such key";
  const meant = nearest(key, known);
  return meant === undefined ? `no such key; known are ${known.join(", ")}` : `no such key; did you mean ${meant}?`;
}

/** The keys that a block has; of the host, those of its provider (pure). */
export function knownKeys(schema: Schema, path: readonly PropertyKey[], raw: FaultContext["raw"]): string[] {
  const inner = schemaAt(schema, path);
  const shapes = inner ? shapesOf(inner) : [];
  const own = shapes.filter((shape) => shapes.length === 1 || variantOf(shape) === providerOf(raw));
  return [...new Set(own.flatMap((shape) => Object.keys(shape)))];
}

const providerOf = ({ host }: FaultContext["raw"]) =>
  typeof host === "object" && host !== null ? (host as { readonly provider?: unknown }).provider : undefined;

/** A key of another provider, or a provider's name as if it were a block. */
function variantsWith(
  key: string,
  block: readonly PropertyKey[],
  schema: Schema,
  raw: FaultContext["raw"],
): string | undefined {
  if (block.join(".") !== "host") return undefined;
  const inner = schemaAt(schema, block);
  const shapes = inner ? shapesOf(inner) : [];
  const found = `found host.provider ${String(providerOf(raw))}`;
  const providers = shapes.map((shape) => variantOf(shape) ?? "");
  if (providers.includes(key))
    return `no such block: the keys of ${key} stand in ${project}:host itself, with host.provider ${key}; ${found}`;
  const having = providers.filter((_name, i) => key in (shapes[i] ?? {}));
  return having.length === 0 ? undefined : `is for ${having.join(" and ")}; ${found}`;
}
