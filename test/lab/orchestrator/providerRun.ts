import { spawn } from "node:child_process";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import type { Lab } from "../../../lab/lab.ts";
import type { Outcome, runProvider } from "../../providers/runProvider.ts";

const project = join(import.meta.dirname, "../../..");

/** Runs a provider's method in a separate process that reaches the hosts. */
export async function runAtOperator(lab: Lab, ...call: Parameters<typeof runProvider>): Promise<Outcome> {
  const program = join(import.meta.dirname, "providerProcess.ts");
  const [command = "", ...rest] = lab.atOperator([process.execPath, program]);
  const child = spawn(command, rest, { cwd: project });
  child.stdin.end(JSON.stringify(call));
  const [printed, complaint] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  if (printed === "") throw new Error(`the provider's process ended: ${complaint}`);
  return JSON.parse(printed) as Outcome;
}
