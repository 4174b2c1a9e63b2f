import { join, resolve } from "node:path";
import type { Lab } from "../lab";
import { checkout } from "../toolchain/version";

/** Runs a program, by path or name in this folder, as a process on the operator's machine; JSON in, JSON out. */
export async function runChild<T>(lab: Lab, program: string, input: unknown, timeout: number): Promise<T> {
  const { stdout } = await lab.run([join(checkout, "node_modules/.bin/tsx"), resolve(import.meta.dirname, program)], {
    input: JSON.stringify(input),
    timeout,
    stderr: "inherit",
  });
  return JSON.parse(stdout) as T;
}
