import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";

const tool = join(import.meta.dirname, "../../cli/bin.cjs");

/** Returns what `pulumi config --json` prints for a stack with this configuration. */
export function printConfig(config: Readonly<Record<string, unknown>>, project = "pillar-host:"): string {
  const entries = Object.entries(config).map(([key, value]) => [
    `${project}${key}`,
    { value: typeof value === "string" ? value : JSON.stringify(value), objectValue: value, secret: true },
  ]);
  return JSON.stringify(Object.fromEntries(entries));
}

/** Runs the tool in a directory, with this shell script as pulumi. */
export async function runTool(
  place: string,
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const bin = join(place, ".bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "pulumi"), `#!/bin/sh\n${script}\n`, { mode: 0o700 });
  const { exitCode, stdout, stderr, all } = await execa(process.execPath, [tool, ...args], {
    cwd: place,
    extendEnv: false,
    reject: false,
    stdin: "ignore",
    all: true,
    env: { PATH: `${bin}:/usr/bin:/bin`, HOME: place, XDG_DATA_HOME: join(place, "data"), ...env },
  });
  return { exitCode, stdout, stderr, all };
}
