import { spawn } from "node:child_process";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import type { Lab } from "../../../lab/lab";

const project = join(import.meta.dirname, "../../..");

/** Outcome of a provider's method, as the engine gets it, and its output. */
export interface Outcome {
  readonly result?: { readonly id?: string; readonly outs: Record<string, unknown> };
  readonly error?: { readonly message: string };
  readonly log: readonly string[];
}

/** Reads the stored texts of all dynamic providers, by the names of test/providers/serialize.cjs. */
export async function providerTexts(): Promise<Record<string, string>> {
  const child = spawn(process.execPath, ["test/providers/serialize.cjs"], { cwd: project });
  return JSON.parse(await textOf(child.stdout)) as Record<string, string>;
}

/** Runs a provider's method from its stored text in a separate process that reaches the hosts. */
export async function runProvider(lab: Lab, text: string, method: string, ...args: unknown[]): Promise<Outcome> {
  const [command = "", ...rest] = lab.atOperator([process.execPath, "test/providers/runProvider.cjs"]);
  const child = spawn(command, rest, { cwd: project });
  child.stdin.end(`${JSON.stringify({ text, method, args })}\n`);
  const [printed, complaint] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  if (printed === "") throw new Error(`the provider's process ended: ${complaint}`);
  return JSON.parse(printed) as Outcome;
}
