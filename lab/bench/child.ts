import { join, resolve } from "node:path";
import { execa } from "execa";
import type { Lab } from "../lab";
import { checkout } from "../toolchain/version";

/** Runs a program, by path or name in this folder, as a process on the operator's machine; JSON in, JSON out. */
export async function runChild<T>(lab: Lab, program: string, input: unknown, timeout: number): Promise<T> {
  const [command = "", ...args] = lab.atOperator([
    join(checkout, "node_modules/.bin/tsx"),
    resolve(import.meta.dirname, program),
  ]);
  const { stdout } = await execa(command, args, { input: JSON.stringify(input), timeout, stderr: "inherit" });
  return JSON.parse(stdout) as T;
}
