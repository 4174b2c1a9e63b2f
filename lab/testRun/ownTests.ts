import { createHash } from "node:crypto";
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import type { Report } from "./report";

/**
 * The tests of the lab itself: of its plugins, doubles, machine room, commands and bench. They prove nothing of the program,
 * and where nothing of what they stand on has changed since they passed, they would say the same again.
 */
const patterns = [
  "test/lab/plugins/*.long.test.ts",
  "test/lab/contracts/{node,controller,orchestrator}.long.test.ts",
  "test/lab/clouds/machineRoom.long.test.ts",
  "test/lab/gate/faultCommand.long.test.ts",
  "test/lab/orchestrator/double.long.test.ts",
  "test/lab/bench.long.test.ts",
];

/** Returns the tests of the lab itself, below the checkout. */
export function ownTests(checkout: string): string[] {
  return globSync(patterns, { cwd: checkout }).sort();
}

/** Hashes by test file. */
export type Hashes = Readonly<Record<string, string>>;

/** Rooms of the lab that are commands of their own: a test stands on them only if it imports from them. */
const apart = ["bench", "chainCopies", "explore", "mutants", "proofs", "schema", "shell", "simulation"];

/** A test of a plugin boots no lab: it stands on the plugins' sources, and on the rooms of the lab that it imports from. */
const isOfPlugin = (file: string) => file.startsWith("test/lab/plugins/");

/**
 * Returns for each of these files a hash of what it stands on: all that it imports, what lies beside that and is no
 * TypeScript (scripts, which are read by path), the lab, which starts programs and builds Go by path, and the libraries.
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
      isOfPlugin(file) ? ["plugins", ...rooms].includes(room) && room !== "" : rooms.has(room) || !apart.includes(room);
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

/** Names of code, which counts where it is imported, and of what says nothing to a test: texts and records. */
const isCode = /\.(ts|md)$|^test\/[^/]+\.json$/;

/** Returns the room of the lab that a file lies in, empty for a file of lab/ itself. */
const roomOf = (name: string) => /^lab\/([^/]+)\//.exec(name)?.[1] ?? "";

function filesOf(root: string, folder: string, recursive: boolean): string[] {
  return readdirSync(join(root, folder), { recursive, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}

/** The record of the hashes with which the tests passed last. It is committed: a clean machine knows of it, too. */
const recordIn = (checkout: string) => join(checkout, "test/ownTests.json");

function readRecord(checkout: string): Hashes {
  const file = recordIn(checkout);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Hashes) : {};
}

/** Returns the files that passed on what they stand on now. */
export function passedBefore(checkout: string, hashes: Hashes): string[] {
  const record = readRecord(checkout);
  return Object.keys(hashes).filter((file) => record[file] === hashes[file]);
}

/** Writes into the record which of these files passed, and drops those that are gone. */
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
