import { createHash, randomUUID } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Names the environment variable with the directory where a test run keeps what its labs would make again. */
export const madeVariable = "PILLAR_TEST_MADE";

/** Returns what `make` makes: once for all processes of a test run, each time outside of one. */
export async function onceARun(key: readonly unknown[], make: () => Promise<string | Uint8Array>): Promise<Buffer> {
  const directory = process.env[madeVariable];
  if (!directory) return Buffer.from(await make());
  const file = join(directory, createHash("sha256").update(JSON.stringify(key)).digest("hex"));
  if (existsSync(file)) return readFileSync(file);
  const made = Buffer.from(await make());
  // The rename lets each process read a whole file while another one may write the same.
  const temporary = `${file}.${randomUUID()}`;
  writeFileSync(temporary, made);
  renameSync(temporary, file);
  return made;
}
