import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { proofsOf, withProofs } from "./proofs";

const checkout = join(import.meta.dirname, "../..");
const tests = join(checkout, "test/lab");

/** File with the table of proofs. */
export const documented = join(checkout, "lab/README.md");

/** Returns the documentation with a table made from the present tests. */
export function made(): string {
  const files = readdirSync(tests, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".test.ts"));
  const proofs = files.sort().flatMap((name) => {
    const path = join(tests, name);
    return proofsOf(path, readFileSync(path, "utf8"), name);
  });
  return withProofs(readFileSync(documented, "utf8"), proofs);
}
