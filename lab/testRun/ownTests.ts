import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { cachePath } from "../cache";
import { realDirectory } from "../real";
import type { Report } from "./tally";

/**
 * The tests of the lab itself: of its plugins, doubles, machine room and commands. They prove nothing of the program, and
 * where nothing of what they stand on has changed since they passed, they would say the same again.
 */
const patterns = [
  "test/lab/plugins/*.long.test.ts",
  "test/lab/contracts/{node,controller,orchestrator}.long.test.ts",
  "test/lab/clouds/machineRoom.long.test.ts",
  "test/lab/gate/faultCommand.long.test.ts",
  "test/lab/orchestrator/double.long.test.ts",
];

/** Below the checkout. */
export function ownTests(checkout: string): string[] {
  return globSync(patterns, { cwd: checkout }).sort();
}

/**
 * A name that changes with what these files stand on: all of lab/, all that they import and what lies beside it, the
 * libraries, Node and the real programs at hand.
 */
export async function standsOn(checkout: string, files: readonly string[]): Promise<string> {
  const { metafile } = await build({
    ...{ absWorkingDir: checkout, entryPoints: [...files], bundle: true, write: false, metafile: true },
    ...{ packages: "external", platform: "node", format: "esm", outdir: "nowhere", logLevel: "silent" },
  });
  const folders = [...new Set(Object.keys(metafile.inputs).map(dirname))].filter((name) => !/^lab(\/|$)/.test(name));
  const beside = folders.flatMap((folder) => filesOf(checkout, folder, false));
  const names = [...new Set([...filesOf(checkout, "lab", true), ...beside, "package-lock.json"])].sort();
  const hash = createHash("sha256").update(process.version);
  for (const name of names) hash.update(`\n${name}\n`).update(readFileSync(join(checkout, name)));
  const reals = realDirectory();
  for (const name of reals === undefined ? [] : filesOf(reals, "", true)) {
    const { size, mtimeMs } = statSync(join(reals ?? "", name));
    hash.update(`\n${name} ${size} ${mtimeMs}`);
  }
  return hash.digest("hex").slice(0, 16);
}

function filesOf(root: string, folder: string, recursive: boolean): string[] {
  return readdirSync(join(root, folder), { recursive, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}

/** Whether each of these files ran, and passed (pure). */
export function havePassed(files: readonly string[], { testResults }: Report): boolean {
  return files.every((file) =>
    testResults.some(({ name, status }) => name.endsWith(`/${file}`) && status === "passed"),
  );
}

const record = (key: string) => cachePath("own-tests-passed", key);

export const passedBefore = (key: string) => existsSync(record(key));

export const notePassed = (key: string) => void mkdirSync(record(key), { recursive: true });
