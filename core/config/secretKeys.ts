import { commandsFor } from "../util/commands";
import { metaOf, schemaKeys } from "./schemaKeys";
import { stackSchema } from "./stackSchema";

/** The keys whose values are secrets, by the schema: the way to each, from the configuration's key on (pure). */
export function secretKeys(): string[][] {
  const paths = schemaKeys(stackSchema).flatMap(({ path, schema }) => (metaOf(schema).secret ? [path.join(".")] : []));
  return [...new Set(paths)].map((path) => path.split("."));
}

/**
 * Warns of secrets that were set without --secret (pure).
 *
 * @param raw key (without `pillar-host:`) to value
 * @param isSecret whether a key holds anything that was set with --secret; the engine tells no more
 */
export function plainSecrets(
  raw: Readonly<Record<string, unknown>>,
  isSecret: (key: string) => boolean,
  stack: string,
): string[] {
  const plain = secretKeys().filter(([key = "", ...inner]) => {
    const value = inner.reduce<unknown>(
      (block, name) => (block as Record<string, unknown> | undefined)?.[name],
      raw[key],
    );
    return value !== undefined && !isSecret(key);
  });
  return plain.map((keys) => {
    const path = `pillar-host:${keys.join(".")}`;
    return `${path} is in Pulumi.${stack}.yaml as plain text. Set it again with: ${commandsFor(stack).setSecret(keys.join("."))}`;
  });
}
