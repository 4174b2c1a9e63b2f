import { z } from "zod";
import { stackSchema } from "./config";
import { secretKeys } from "./secretKeys";

type Schema = { [key: string]: unknown; properties?: Record<string, Schema>; oneOf?: Schema[]; required?: string[] };

/** The form that the engine gives a value which was set with --secret. */
const secured = { type: "object", properties: { secure: { type: "string" } }, required: ["secure"] } as const;

/** The JSON schema of a stack's file, for editors: made from the one that the program checks with (pure). */
export function stackFileSchema(): Schema {
  const { properties = {}, required } = z.toJSONSchema(stackSchema, { io: "input", unrepresentable: "any" }) as Schema;
  for (const keys of secretKeys) {
    const last = keys[keys.length - 1] ?? "";
    const holders = keys
      .slice(0, -1)
      .reduce<(Record<string, Schema> | undefined)[]>(
        (blocks, key) => blocks.flatMap((block) => propertiesOf(block?.[key])),
        [properties],
      );
    for (const holder of holders) {
      const plain = holder?.[last];
      if (holder && plain) holder[last] = { anyOf: [plain, secured] };
    }
  }
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

/** The keys of a block, in each of its forms. */
function propertiesOf(block: Schema | undefined): (Record<string, Schema> | undefined)[] {
  return [block, ...(block?.oneOf ?? [])].map((each) => each?.properties);
}
