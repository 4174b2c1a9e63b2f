import { z } from "zod";
import type { KeyMeta } from "../../core/config/schemaKeys.ts";
import { stackSchema } from "../../core/config/stackSchema.ts";

type JsonSchema = Omit<KeyMeta, "examples"> & {
  [key: string]: unknown;
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  required?: readonly string[];
};

/** Form of a value that was set with --secret. */
const secured = { type: "object", properties: { secure: { type: "string" } }, required: ["secure"] } as const;

/** Returns the JSON schema of a stack's file for editors, made from the schema that the program checks with. */
export function stackFileSchema(): JsonSchema {
  const plain = z.toJSONSchema(stackSchema, { io: "input", unrepresentable: "any" }) as JsonSchema;
  const { properties = {}, required } = forEditors(plain);
  // The token may also be the key of the provider's plugin, such as hcloud:token.
  for (const host of properties.host?.oneOf ?? [])
    host.required = (host.required ?? []).filter((key) => key !== "token");
  const prefixed = (key: unknown) => `pillar-host:${key}`;
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Pulumi.<stack>.yaml of pillar-host",
    type: "object",
    properties: {
      config: {
        type: "object",
        properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [prefixed(key), value])),
        required: (required ?? []).map(prefixed),
      },
    },
  };
}

/** Returns a schema with descriptions that editors show. Its secrets may also have the encrypted form. */
function forEditors(schema: JsonSchema): JsonSchema {
  const {
    description,
    needed: _,
    form,
    unit,
    otherwise,
    secret,
    see,
    properties,
    items,
    anyOf,
    oneOf,
    ...rest
  } = schema;
  const told = descriptionOf({ description, form, unit, otherwise, secret, see } as KeyMeta);
  const checks = {
    ...rest,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, forEditors(value)])),
    }),
    ...(items && { items: forEditors(items) }),
    ...(anyOf && { anyOf: anyOf.map(forEditors) }),
    ...(oneOf && { oneOf: oneOf.map(forEditors) }),
  };
  return { ...(told && { description: told }), ...(secret ? { anyOf: [checks, secured] } : checks) } as JsonSchema;
}

function descriptionOf({ description, form, unit, otherwise, secret, see }: KeyMeta): string {
  return [
    description,
    form && `Value: ${form}`,
    unit && `Unit: ${unit}`,
    otherwise && `By default: ${otherwise}`,
    secret && "Secret: set it with --secret",
    see && `More: docs/${see}`,
  ]
    .filter(Boolean)
    .join(". ");
}
