import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { execa } from "execa";
import { cached } from "../util/cache";

/** Names the directory with the real programs: lab and tests use what lies there in the place of stand-in or double. */
const directoryVariable = "PILLAR_LAB_REAL";

/** Names a directory in which a run of the tests notes which of them were used. */
export const usedVariable = "PILLAR_LAB_REAL_USED";

/** The programs that are looked for, by their path there without `.xz`. */
export const realPrograms = [
  "pulumi-resource-command",
  "pulumi-resource-hcloud",
  "pulumi-resource-digitalocean",
  "pulumi-language-nodejs",
  "znnd",
  "orchestrator",
  "node-world/znndev",
  "node-world/znnd-fast",
  "signer-world/signer-world",
  "signer-world/after-keygen.tar",
] as const;

export type RealProgram = (typeof realPrograms)[number];

/**
 * The directory that the environment names; undefined where it names none.
 *
 * @throws where that is no directory
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

/** A program, as it is or packed with xz; undefined where there is none. */
function fileOf(name: string): string | undefined {
  const directory = realDirectory();
  if (directory === undefined) return undefined;
  return [name, `${name}.xz`].map((file) => path.join(directory, file)).find((file) => fs.existsSync(file));
}

/** Whether the real program is at hand. */
export function hasReal(name: RealProgram): boolean {
  return fileOf(name) !== undefined;
}

/**
 * The path of the real program, unpacked below the cache; undefined where there is none.
 *
 * @throws where its packed file is not the one that SHA256SUMS beside it lists
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

/** The same. @throws where it is not at hand */
export async function neededReal(name: RealProgram): Promise<string> {
  const file = await realProgram(name);
  if (file === undefined) throw new Error(`the real ${name} is not at hand (lab/README.md)`);
  return file;
}

/** Which of them a run of the tests noted as used in the directory that `usedVariable` named */
export function realsUsed(noted: string): RealProgram[] {
  return realPrograms.filter((name) => fs.existsSync(path.join(noted, path.basename(name))));
}

/** What lies at hand to be measured by, and was not used: a line each. */
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
