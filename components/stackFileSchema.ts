import { z } from "zod";
import { stackSchema } from "./config";
import { secretKeys } from "./secretKeys";

type Schema = { [key: string]: unknown; properties?: Record<string, Schema> };

/** The form that the engine gives a value which was set with --secret. */
const secured = { type: "object", properties: { secure: { type: "string" } }, required: ["secure"] } as const;

/** The JSON schema of a stack's file, for editors: made from the one that the program checks with (pure). */
export function stackFileSchema(): Schema {
  const { properties = {}, required } = z.toJSONSchema(stackSchema, { io: "input", unrepresentable: "any" }) as Schema;
  for (const [key, inner] of secretKeys) {
    const holder = inner === undefined ? properties : (properties[key]?.properties ?? {});
    const plain = holder[inner ?? key];
    if (plain) holder[inner ?? key] = { anyOf: [plain, secured] };
  }
  const prefixed = (key: unknown) => `pillar-host:${key}`;
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Pulumi.<stack>.yaml of pillar-host",
    type: "object",
    properties: {
      config: {
        type: "object",
        properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [prefixed(key), value])),
        required: (required as string[]).map(prefixed),
      },
    },
  };
}
