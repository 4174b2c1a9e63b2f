import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { text as textOf } from "node:stream/consumers";
import { afterAll, beforeAll, expect } from "vitest";

/** Where the program lies. */
export const project = join(__dirname, "../..");

/** What a provider's method came to. */
export interface Outcome {
  readonly result?: { id?: string; changes?: boolean; outs: Record<string, unknown> };
  readonly error?: {
    message: string;
    id?: string;
    reasons?: string[];
    properties?: Record<string, unknown>;
    unsendable?: string;
  };
  readonly log: string[];
}

/**
 * Runs providers as the engine does: from the text that the state has of them, in a process of its own that has none of
 * the program's modules.
 */
export function storedProviders<P extends string>() {
  let texts: Record<P, string>;
  let runner: ChildProcessWithoutNullStreams;
  let answers: AsyncIterator<string>;
  let reader: Interface;
  beforeAll(async () => {
    const serializing = spawn(process.execPath, ["test/providers/serialize.cjs"], { cwd: project });
    const [printed, complaint] = await Promise.all([textOf(serializing.stdout), textOf(serializing.stderr)]);
    expect(complaint).toBe("");
    texts = JSON.parse(printed) as typeof texts;
    runner = spawn(process.execPath, ["test/providers/runProvider.cjs"], { cwd: project });
    reader = createInterface({ input: runner.stdout });
    answers = reader[Symbol.asyncIterator]();
  });
  afterAll(() => {
    reader.close();
    runner.kill();
  });
  return {
    textOf: (provider: P) => texts[provider],
    run: async (provider: P, method: string, ...args: unknown[]): Promise<Outcome> => {
      runner.stdin.write(`${JSON.stringify({ text: texts[provider], method, args })}\n`);
      const { value } = await answers.next();
      return JSON.parse(value as string) as Outcome;
    },
  };
}
