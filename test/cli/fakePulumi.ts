import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { execa } from "execa";
import type { TerminalSize } from "../../lab/operator/screen.ts";
import { type Answer, inTerminal, typeCommand } from "../../lab/operator/typist.ts";

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
  const { exitCode, stdout, stderr, all } = await execa(process.execPath, [tool, ...args], {
    cwd: place,
    extendEnv: false,
    reject: false,
    stdin: "ignore",
    all: true,
    env: { ...environmentIn(place, script), ...env },
  });
  return { exitCode, stdout, stderr, all };
}

/** Types a command of the tool in a terminal, with this shell script as pulumi. */
export function typeTool(place: string, script: string, line: string, size: TerminalSize, answers: readonly Answer[]) {
  symlinkSync(join(import.meta.dirname, "../../pillar-host"), join(place, "pillar-host"));
  const { PATH, ...home } = environmentIn(place, script);
  const env = { ...home, PATH: `${join(place, ".bin")}:${dirname(process.execPath)}:${PATH}`, TERM: "xterm" };
  return typeCommand(inTerminal(line, size), { cwd: place, env, size, answers, isOrdered: true });
}

/** Makes the script this directory's pulumi. */
function environmentIn(place: string, script: string): Record<string, string> {
  const bin = join(place, ".bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "pulumi"), `#!/bin/sh\n${script}\n`, { mode: 0o700 });
  return { PATH: `${bin}:/usr/bin:/bin`, HOME: place, XDG_DATA_HOME: join(place, "data") };
}
