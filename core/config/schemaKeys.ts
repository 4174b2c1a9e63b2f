import { z } from "zod";

/** Describes a key: docs/configuration.md, docs/stack.schema.json and the list of secret keys are made from this. */
export interface KeyMeta {
  /** The key's purpose: sentences in Markdown without links, the last without a full stop. */
  readonly description?: string;
  readonly form?: string;
  readonly unit?: string;
  readonly examples?: readonly (string | number)[];
  readonly otherwise?: string;
  /** True for a key that is set with --secret and never shown. */
  readonly secret?: true;
  readonly see?: string;
}

declare module "zod" {
  interface GlobalMeta extends Omit<KeyMeta, "examples"> {}
}

export interface Schema {
  readonly _zod: { readonly def: unknown };
}

type Shape = Readonly<Record<string, Schema>>;

interface Definition {
  readonly shape?: Shape;
  readonly innerType?: Schema;
  readonly in?: Schema;
  readonly options?: readonly Schema[];
  readonly values?: readonly unknown[];
}

/** Lists the keys of a block, for each of its variants; empty if the schema is no block. */
function listShapes(schema: Schema): Shape[] {
  const { shape, innerType, in: input, options } = schema._zod.def as Definition;
  if (shape) return [shape];
  return [innerType, input, ...(options ?? [])].flatMap((inner) => (inner ? listShapes(inner) : []));
}

function unwrapSchema(schema: Schema): Schema | undefined {
  const { innerType, in: input } = schema._zod.def as Definition;
  return innerType ?? input;
}

export function readMeta(schema: Schema): KeyMeta {
  const inner = unwrapSchema(schema);
  return { ...(inner ? readMeta(inner) : {}), ...(z.globalRegistry.get(schema as z.ZodType) as KeyMeta | undefined) };
}

export interface SchemaKey {
  readonly path: readonly string[];
  readonly schema: Schema;
  readonly isBlock: boolean;
  readonly variant?: string;
}

/** Lists all keys in order, each block before its keys. A key of several variants appears once for each variant. */
export function listSchemaKeys(schema: Schema, path: readonly string[] = []): SchemaKey[] {
  const shapes = listShapes(schema);
  return shapes.flatMap((shape) => {
    const keys = Object.entries(shape).flatMap(([name, inner]) => {
      const below = [...path, name];
      const inside = listSchemaKeys(inner, below);
      return [{ path: below, schema: inner, isBlock: inside.length > 0 }, ...inside];
    });
    const variant = shapes.length > 1 ? readVariant(shape) : undefined;
    return variant === undefined ? keys : keys.map((key) => ({ ...key, variant }));
  });
}

function readVariant(shape: Shape): string | undefined {
  const definitions = Object.values(shape).map(({ _zod }) => _zod.def as Definition);
  return definitions.flatMap(({ values }) => values ?? []).map(String)[0];
}
