/** The keys whose values are secrets: a key of the configuration, and one inside it where it is structured. */
export const secretKeys: readonly (readonly [key: string, inner?: string])[] = [
  ["host", "token"],
  ["ssh", "privateKey"],
  ["ssh", "privateKeyPassword"],
  ["ssh", "password"],
  ["ssh", "sudoPassword"],
  ["notify"],
];

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
  const plain = secretKeys.filter(([key, inner]) => {
    const value = inner === undefined ? raw[key] : (raw[key] as Record<string, unknown> | undefined)?.[inner];
    return value !== undefined && !isSecret(key);
  });
  return plain.map(([key, inner]) => {
    const path = inner === undefined ? `pillar-host:${key}` : `pillar-host:${key}.${inner}`;
    return `${path} stands in Pulumi.${stack}.yaml in plain text. Set it again with: pulumi config set --secret --path '${path}'`;
  });
}
