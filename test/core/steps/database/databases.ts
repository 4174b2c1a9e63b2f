import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { databaseProgram } from "../../../../core/steps/database/program";
import { scriptOf } from "../../../../core/steps/step";
import type { Ran, Sandbox } from "../sandbox";

/** A data directory of the real node, killed while it took in momentums: of the last one half is there. */
export function tornNode(box: Sandbox): string {
  execFileSync("tar", ["-xJf", join(import.meta.dirname, "torn.tar.xz"), "-C", box.dir]);
  return box.dir;
}

/** A function of database.sh, its status as the script's. */
export function callDatabase(box: Sandbox, call: string): Promise<Ran> {
  const script = scriptOf({ database_program: databaseProgram() }, "database/database");
  return box.run(box.local(`${script}\ncode=0\n${call} || code=$?\nexit "$code"`));
}
