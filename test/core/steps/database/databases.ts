import { execFileSync, spawn } from "node:child_process";
import { join } from "node:path";
import { databaseProgram } from "../../../../core/steps/database/program";
import { scriptOf } from "../../../../core/steps/step";
import type { Ran, Sandbox } from "../sandbox";

/**
 * A data directory of the real node, which was stopped once, then killed while it took in momentums: a table, a journal, and
 * a momentum of which half is there.
 */
export function tornNode(box: Sandbox): string {
  execFileSync("tar", ["-xJf", join(import.meta.dirname, "torn.tar.xz"), "-C", box.dir]);
  return box.dir;
}

/** A function of database.sh, its status as the script's. */
export function callDatabase(box: Sandbox, call: string): Promise<Ran> {
  const script = scriptOf({ database_program: databaseProgram() }, "database/database");
  return box.run(box.local(`${script}\ncode=0\n${call} || code=$?\nexit "$code"`));
}

/** Holds a lock, as a node that runs, until it is ended. */
export async function holdLock(path: string): Promise<() => Promise<void>> {
  const holder = spawn("flock", [path, "sh", "-c", "echo held; read -r _"], { stdio: ["pipe", "pipe", "inherit"] });
  await new Promise((resolve) => holder.stdout.once("data", resolve));
  return () =>
    new Promise((resolve) => {
      holder.once("close", () => resolve());
      holder.stdin.end();
    });
}

/**
 * Python with `nom`, a Nom, and `put(changes)`, which writes into its state as the node does.
 *
 * @returns what it prints
 */
export function inPython(box: Sandbox, body: string): string {
  const [functions = ""] = databaseProgram().split("\ntry:\n");
  const made = `
database = Database(sys.argv[1] + "/nom")
nom = Nom(database)
def put(changes, more=()):
    number = max([database.next_number] + list(database.numbers.values())) + 1
    stored = [(FRONTIER + key, b"" if value is None else b"\\0" + value) for key, value in changes] + list(more)
    written(database.directory + "/%06d.log" % number, journal_of(database.sequence + 1, stored), sys.argv[1] + "/nom/CURRENT", 0o644)
`;
  const input = `${functions}\n${made}\n${body}\n`;
  return execFileSync("python3", ["-I", "-", box.dir], { input, encoding: "utf8" });
}
