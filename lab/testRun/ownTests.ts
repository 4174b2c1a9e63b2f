import { createHash } from "node:crypto";
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import type { Report } from "./tally.ts";

/**
 * Tests of the lab itself: of its plugins, doubles, machine room and search. They prove nothing about the
 * program. Once they have passed, they run again only after a change of what they depend on.
 */
const patterns = [
  "test/lab/plugins/*.long.test.ts",
  "test/lab/contracts/{node,controller,orchestrator}.long.test.ts",
  "test/lab/clouds/machineRoom.long.test.ts",
  "test/lab/orchestrator/double.long.test.ts",
  "test/simulation/mutants.long.test.ts",
];

/** Returns the tests of the lab itself, as paths below the checkout. */
export function ownTests(checkout: string): string[] {
  return globSync(patterns, { cwd: checkout }).sort();
}

/** Hashes by test file. */
export type Hashes = Readonly<Record<string, string>>;

/** Folders of the lab with a command of their own: a test depends on one only if it imports from it. */
const apart = ["bench", "explore", "mutants", "schema", "shell", "simulation"];

/** True if a file boots no lab: it depends on the plugins' sources and on the folders that it imports from. */
const isWithoutLab = (file: string) => /^test\/(lab\/plugins|simulation)\//.test(file);

/**
 * Hashes what each of these files depends on: its imports, the scripts beside them and the lab, which are read by path,
 * and the libraries.
 */
export async function hashesOf(checkout: string, files: readonly string[]): Promise<Hashes> {
  const { metafile } = await build({
    absWorkingDir: checkout,
    entryPoints: [...files],
    outdir: "nowhere",
    bundle: true,
    write: false,
    metafile: true,
    packages: "external",
    platform: "node",
    format: "esm",
    logLevel: "silent",
  });
  const lab = filesOf(checkout, "lab", true).filter((name) => !name.endsWith(".md"));
  const texts = new Map<string, Buffer>();
  const textOf = (name: string) => {
    const text = texts.get(name) ?? readFileSync(join(checkout, name));
    texts.set(name, text);
    return text;
  };
  const hashOf = (file: string, imported: readonly string[]) => {
    const rooms = new Set(imported.map(roomOf));
    const counts = (room: string) =>
      isWithoutLab(file)
        ? ["plugins", ...rooms].includes(room) && room !== ""
        : rooms.has(room) || !apart.includes(room);
    const ofLab = lab.filter((name) => counts(roomOf(name)));
    const folders = [...new Set(imported.map(dirname))].filter((name) => !/^lab(\/|$)/.test(name));
    const beside = folders.flatMap((folder) => filesOf(checkout, folder, false)).filter((name) => !isCode.test(name));
    const hash = createHash("sha256");
    for (const name of [...new Set([...imported, ...ofLab, ...beside, "package-lock.json"])].sort())
      hash.update(`\n${name}\n`).update(textOf(name));
    return hash.digest("hex").slice(0, 16);
  };
  const importsOf = (name: string) =>
    (metafile.inputs[name]?.imports ?? []).flatMap(({ path, external }) => (external ? [] : [path]));
  const reachedFrom = (file: string) => {
    const reached = new Set([file]);
    for (const name of reached) for (const imported of importsOf(name)) reached.add(imported);
    return [...reached];
  };
  return Object.fromEntries(files.map((file) => [file, hashOf(file, reachedFrom(file))]));
}

/** Files that count only if imported (code), or never (texts, recorded results, what compiler and git keep). */
const isCode = /\.(ts|md|tsbuildinfo)$|^\.git$|^test\/[^/]+\.json$/;

/** Returns the folder of the lab that a file is in; empty for a file in lab/ itself. */
const roomOf = (name: string) => /^lab\/([^/]+)\//.exec(name)?.[1] ?? "";

function filesOf(root: string, folder: string, recursive: boolean): string[] {
  return readdirSync(join(root, folder), { recursive, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}

/** Returns the file with the hashes at which the tests last passed. It is committed, so a clean machine has it too. */
const recordIn = (checkout: string) => join(checkout, "test/ownTests.json");

function readRecord(checkout: string): Hashes {
  const file = recordIn(checkout);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Hashes) : {};
}

/** Returns the files that have passed in their present state. */
export function passedBefore(checkout: string, hashes: Hashes): string[] {
  const record = readRecord(checkout);
  return Object.keys(hashes).filter((file) => record[file] === hashes[file]);
}

/** Records which of these files passed, and drops those that are gone. */
export function notePassed(checkout: string, hashes: Hashes, { testResults }: Report): void {
  const hasPassed = (file: string) =>
    testResults.some(({ name, status }) => name.endsWith(`/${file}`) && status === "passed");
  if (!Object.keys(hashes).some(hasPassed)) return;
  const before = readRecord(checkout);
  const now = Object.keys(hashes)
    .sort()
    .map((file) => [file, hasPassed(file) ? hashes[file] : before[file]] as const)
    .filter(([, hash]) => hash !== undefined);
  writeFileSync(recordIn(checkout), `${JSON.stringify(Object.fromEntries(now), undefined, 2)}\n`);
}
