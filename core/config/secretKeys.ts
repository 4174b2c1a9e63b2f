import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { commandsFor } from "../util/commands.ts";
import { extractRawConfig, findValue, type Raw } from "./config.ts";
import { listSchemaKeys, readMeta } from "./schemaKeys.ts";
import { stackSchema } from "./stackSchema.ts";

export function listSecretKeys(): string[][] {
  const paths = listSchemaKeys(stackSchema).flatMap(({ path, schema }) =>
    readMeta(schema).secret ? [path.join(".")] : [],
  );
  return [...new Set(paths)].map((path) => path.split("."));
}

/**
 * Warns of secrets in the stack's file that were set without --secret. `raw`: the configured values, which say whether
 * there is a secret at all. An encrypted value is a block with the key `secure` in the file.
 */
export function findPlainSecrets(directory: string, stack: string, raw: Raw): string[] {
  const secrets = listSecretKeys().filter((path) => findValue(raw, path) !== undefined);
  if (secrets.length === 0) return [];
  const written = readStackFile(`${directory}/Pulumi.${stack}.yaml`);
  return secrets
    .filter((path) => typeof findValue(written, path) === "string")
    .map((path) => {
      const key = path.join(".");
      const set = commandsFor(stack).setSecret(key);
      return `pillar-host:${key} is in Pulumi.${stack}.yaml as plain text. Set it again with: ${set}`;
    });
}

/** Reads the program's values from a stack's file; undefined if there is none, as with --config-file. */
export function readStackFile(file: string): Raw | undefined {
  // Loads yaml here, because most runs do not need it.
  const { parse } = createRequire(import.meta.url)("yaml") as typeof import("yaml");
  try {
    return extractRawConfig((parse(readFileSync(file, "utf8")) as { readonly config: Raw }).config).raw;
  } catch {
    return undefined;
  }
}
