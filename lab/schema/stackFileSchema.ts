import { z } from "zod";
import type { KeyMeta } from "../../core/config/keyMeta";
import { stackSchema } from "../../core/config/stackSchema";

type JsonSchema = Omit<KeyMeta, "examples"> & {
  [key: string]: unknown;
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  required?: readonly string[];
};

/** The form that the engine gives a value which was set with --secret. */
const secured = { type: "object", properties: { secure: { type: "string" } }, required: ["secure"] } as const;

/** The JSON schema of a stack's file, for editors: made from the one that the program checks with. */
export function stackFileSchema(): JsonSchema {
  const plain = z.toJSONSchema(stackSchema, { io: "input", unrepresentable: "any" }) as JsonSchema;
  const { properties = {}, required } = forEditors(plain);
  // The key of the provider's own plugin, such as hcloud:token, does as well.
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

/** With what is told of a key in the words that editors show, and its secrets also as the engine writes them. */
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
