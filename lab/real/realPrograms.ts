import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { execa } from "execa";
import { cached } from "../util/cache.ts";

/**
 * Names the environment variable with the directory of real programs, which lab and tests use instead of stand-ins and
 * doubles.
 */
const directoryVariable = "PILLAR_LAB_REAL";

/** Names the environment variable with the directory where a test run notes which of them were used. */
export const usedVariable = "PILLAR_LAB_REAL_USED";

/** Programs to look for, by path in that directory, without `.xz`. */
export const realPrograms = [
  "pulumi-resource-command",
  "pulumi-resource-hcloud",
  "pulumi-resource-digitalocean",
  "pulumi-language-nodejs",
  "znnd",
  "orchestrator",
  "node-world/znndev",
  "node-world/znnd-fast",
  "node-world/znnd-fast-next",
  "signer-world/signer-world",
  "signer-world/after-keygen.tar",
] as const;

export type RealProgram = (typeof realPrograms)[number];

/**
 * Returns the directory that the environment names; undefined if it names none.
 * @throws if that is no directory
 */
export function realDirectory(): string | undefined {
  const directory = process.env[directoryVariable];
  if (!directory) return undefined;
  if (fs.statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return path.resolve(directory);
  throw new Error(
    `${directoryVariable} names no directory.\n  found:  ${directory}\n` +
      "  needed: a directory with real programs (lab/README.md lists them)\n" +
      `  do:     unset ${directoryVariable}, or correct it`,
  );
}

/** Returns the file of a program, plain or packed with xz; undefined if there is none. */
function fileOf(name: string): string | undefined {
  const directory = realDirectory();
  if (directory === undefined) return undefined;
  return [name, `${name}.xz`].map((file) => path.join(directory, file)).find((file) => fs.existsSync(file));
}

export function hasReal(name: RealProgram): boolean {
  return fileOf(name) !== undefined;
}

/**
 * Returns the path of the real program, unpacked into the cache; undefined if there is none.
 * @throws if its packed file does not match SHA256SUMS next to it
 */
export async function realProgram(name: RealProgram): Promise<string | undefined> {
  const file = fileOf(name);
  if (file === undefined) return undefined;
  const bytes = fs.readFileSync(file);
  const sum = createHash("sha256").update(bytes).digest("hex");
  verify(file, sum);
  const base = path.basename(name);
  const directory = await cached(`real-${base}`, sum.slice(0, 12), async (dir) => {
    const unpacked = path.join(dir, base);
    if (file.endsWith(".xz")) await execa("xz", ["-dc", file], { stdout: { file: unpacked } });
    else fs.copyFileSync(file, unpacked);
    fs.chmodSync(unpacked, 0o755);
  });
  const used = process.env[usedVariable];
  if (used) fs.writeFileSync(path.join(used, base), "");
  return path.join(directory, base);
}

/** Returns the path of the real program. @throws if there is none */
export async function neededReal(name: RealProgram): Promise<string> {
  const file = await realProgram(name);
  if (file === undefined) throw new Error(`the real ${name} is not at hand (lab/README.md)`);
  return file;
}

/** Returns the programs that a test run noted as used, in the directory of `usedVariable`. */
export function realsUsed(noted: string): RealProgram[] {
  return realPrograms.filter((name) => fs.existsSync(path.join(noted, path.basename(name))));
}

/** Reports the real programs that are available but were not used, a line each. */
export function unusedReals(used: readonly RealProgram[]): string[] {
  const unused = realPrograms.filter((name) => hasReal(name) && !used.includes(name));
  return unused.map((name) => `the real ${name} is at hand, and no test used it`);
}

function verify(file: string, sum: string): void {
  const directory = realDirectory() ?? "";
  const sums = path.join(directory, "SHA256SUMS");
  if (!fs.existsSync(sums)) return;
  const relative = path.relative(directory, file);
  const lines = fs.readFileSync(sums, "utf8").split("\n");
  const listed = lines
    .map((line) => line.split(/\s+\*?/))
    .find(([, name]) => name === relative || name === `./${relative}`);
  if (listed && listed[0] !== sum) throw new Error(`${file} has sha256 ${sum}, SHA256SUMS says ${listed[0]}: not used`);
}
