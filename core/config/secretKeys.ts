import { readFileSync } from "node:fs";
import { commandsFor } from "../util/commands";
import { project } from "./configFaults";
import { findValue } from "./rawValues";
import { listSchemaKeys, readMeta } from "./schemaKeys";
import { stackSchema } from "./stackSchema";

export function listSecretKeys(): string[][] {
  const paths = listSchemaKeys(stackSchema).flatMap(({ path, schema }) =>
    readMeta(schema).secret ? [path.join(".")] : [],
  );
  return [...new Set(paths)].map((path) => path.split("."));
}

/**
 * Warns of secrets that were set without --secret. Keys are without `pillar-host:`. `isSecret` says whether anything in
 * a top-level key was set with --secret; the engine tells no more. `written`: the values in the stack's file.
 */
export function findPlainSecrets(
  raw: Readonly<Record<string, unknown>>,
  isSecret: (key: string) => boolean,
  stack: string,
  written: Readonly<Record<string, unknown>> = {},
): string[] {
  const plain = listSecretKeys().filter((path) => {
    const [key = ""] = path;
    // Looks into the file, too: the engine marks whole blocks, and a block may have plain values beside secret ones.
    return findValue(raw, path) !== undefined && (!isSecret(key) || typeof findValue(written, path) === "string");
  });
  return plain.map((keys) => {
    const path = `pillar-host:${keys.join(".")}`;
    return `${path} is in Pulumi.${stack}.yaml as plain text. Set it again with: ${commandsFor(stack).setSecret(keys.join("."))}`;
  });
}

/** True if a block has several secrets: the engine marks the whole block, so one of them may still be plain text. */
export function hasMixedBlock(raw: Readonly<Record<string, unknown>>, isSecret: (key: string) => boolean): boolean {
  const inBlocks = listSecretKeys().filter((path) => path.length > 1 && findValue(raw, path) !== undefined);
  const blocks = inBlocks.map(([key = ""]) => key).filter(isSecret);
  return new Set(blocks).size < blocks.length;
}

/** Reads the stack's file, if it exists; an encrypted value is a block with the key `secure`. */
export function readStackFile(directory: string, stack: string): Record<string, unknown> | undefined {
  // Loads yaml here, because most runs do not need it.
  const { parse } = require("yaml") as typeof import("yaml");
  try {
    const { config } = parse(readFileSync(`${directory}/Pulumi.${stack}.yaml`, "utf8")) as { config?: object };
    const own = Object.entries(config ?? {}).filter(([key]) => key.startsWith(`${project}:`));
    return Object.fromEntries(own.map(([key, value]) => [key.slice(project.length + 1), value]));
  } catch {
    return undefined;
  }
}
