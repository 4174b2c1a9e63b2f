import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Each uses what stands before it. */
const parts = ["leveldb", "tables", "database", "nom", "judge"];

/** The text of the program that `database.sh` runs on a host, as its variable `database_program`. */
export function databaseProgram(): string {
  return parts.map((name) => readFileSync(join(__dirname, `${name}.py`), "utf8")).join("\n");
}
