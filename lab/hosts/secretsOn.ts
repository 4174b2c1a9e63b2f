import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { noteSecret } from "../testRun/printed.ts";

/**
 * Notes the secrets that a host's programs generated: the passwords of deployed nodes and the passphrases in
 * orchestrators' configurations.
 * @param root the host's file system, as seen from outside
 */
export function noteSecretsOn(root: string): void {
  const home = join(root, "root");
  const folders = existsSync(home) ? readdirSync(home) : [];
  for (const folder of folders.filter((name) => /^\.(znn|orchestrator)/.test(name))) {
    const text = textOf(join(home, folder, "config.json"));
    for (const [key, kind] of kinds)
      for (const [, value = ""] of text.matchAll(new RegExp(`"${key}"\\s*:\\s*("(?:[^"\\\\]|\\\\.)*")`, "g")))
        noteSecret(kind, unquoted(value));
  }
}

const kinds = [
  ["Password", "a producer's password"],
  ["ProducerKeyFilePassphrase", "a signer's pass phrase"],
] as const;

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** Parses a JSON string. Returns an empty text if a test damaged it: then it is no secret anymore. */
function unquoted(json: string): string {
  try {
    return String(JSON.parse(json));
  } catch {
    return "";
  }
}
