/** The keys whose values are secrets: a key of the configuration, and the way inside it where it is structured. */
export const secretKeys: readonly (readonly [key: string, ...inner: string[]])[] = [
  ["host", "token"],
  ["ssh", "privateKey"],
  ["ssh", "privateKeyPassword"],
  ["ssh", "password"],
  ["ssh", "sudoPassword"],
  ["orchestrator", "migrateFrom", "privateKey"],
  ["orchestrator", "migrateFrom", "privateKeyPassword"],
  ["orchestrator", "migrateFrom", "password"],
  ["orchestrator", "migrateFrom", "sudoPassword"],
  ["retirement", "successor", "privateKey"],
  ["retirement", "successor", "privateKeyPassword"],
  ["retirement", "successor", "password"],
  ["retirement", "successor", "sudoPassword"],
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
  const plain = secretKeys.filter(([key, ...inner]) => {
    const value = inner.reduce<unknown>(
      (block, name) => (block as Record<string, unknown> | undefined)?.[name],
      raw[key],
    );
    return value !== undefined && !isSecret(key);
  });
  return plain.map((keys) => {
    const path = `pillar-host:${keys.join(".")}`;
    return `${path} stands in Pulumi.${stack}.yaml in plain text. Set it again with: pulumi config set --secret --path '${path}'`;
  });
}
