import { createHash, randomUUID } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Names the directory in which a run of the tests keeps what its labs would make again. */
export const madeVariable = "PILLAR_TEST_MADE";

/** Returns what `make` makes: once for all processes of a run of the tests, each time outside of one. */
export async function onceARun(key: readonly unknown[], make: () => Promise<string | Uint8Array>): Promise<Buffer> {
  const directory = process.env[madeVariable];
  if (!directory) return Buffer.from(await make());
  const file = join(directory, createHash("sha256").update(JSON.stringify(key)).digest("hex"));
  if (existsSync(file)) return readFileSync(file);
  const made = Buffer.from(await make());
  // Another process may make the same: each reads a whole file.
  const temporary = `${file}.${randomUUID()}`;
  writeFileSync(temporary, made);
  renameSync(temporary, file);
  return made;
}
