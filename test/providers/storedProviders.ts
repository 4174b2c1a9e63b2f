import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { text as textOf } from "node:stream/consumers";
import { brotliDecompressSync } from "node:zlib";
import { afterAll, beforeAll } from "vitest";
import { compiled } from "../../compile";
import { cached } from "../../lab/util/cache";

/** Path of the program. */
export const project = join(__dirname, "../..");

/** Outcome of a provider's method. */
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
 * Reads the texts of all providers, as serialize.cjs prints them. Caches them by program, libraries and Node version,
 * because that takes ten seconds of a processor.
 */
async function serializedOnce(): Promise<string> {
  const given = ["test/providers/serialize.cjs", "package-lock.json"].map((file) => readFileSync(join(project, file)));
  const hash = createHash("sha256").update([basename(compiled()), process.version, ...given].join("\n"));
  const directory = await cached("serialized", hash.digest("hex").slice(0, 16), async (dir) => {
    const serializing = spawn(process.execPath, ["test/providers/serialize.cjs"], { cwd: project });
    const [printed, complaint] = await Promise.all([textOf(serializing.stdout), textOf(serializing.stderr)]);
    if (complaint !== "") throw new Error(complaint);
    writeFileSync(join(dir, "texts.json"), printed);
  });
  return readFileSync(join(directory, "texts.json"), "utf8");
}

/** Returns the text of which a stored text was made (providers/runtime/dynamicResource.ts). */
function unpacked(text: string): string {
  const [, bytes] = /Buffer\.from\("([^"]+)"/.exec(text) ?? [];
  if (bytes === undefined) throw new Error(`not a stored provider: ${text.slice(0, 80)}`);
  return brotliDecompressSync(Buffer.from(bytes, "base64")).toString();
}

/** Runs providers as the engine does: from the state's text, in a separate process without the program's modules. */
export function storedProviders<P extends string>() {
  let texts: Record<P, string>;
  let runner: ChildProcessWithoutNullStreams;
  let answers: AsyncIterator<string>;
  let reader: Interface;
  beforeAll(async () => {
    texts = JSON.parse(await serializedOnce());
    runner = spawn(process.execPath, ["test/providers/runProvider.cjs"], { cwd: project });
    reader = createInterface({ input: runner.stdout });
    answers = reader[Symbol.asyncIterator]();
  });
  afterAll(() => {
    reader.close();
    runner.kill();
  });
  return {
    textOf: (provider: P) => unpacked(texts[provider]),
    /** @param args the method's arguments: a state has the program's version by default */
    run: async (provider: P, method: string, ...args: unknown[]): Promise<Outcome> => {
      const [first, olds, ...news] = args;
      const given = method === "create" ? args : [first, { stateVersion: 1, ...(olds as object) }, ...news];
      runner.stdin.write(`${JSON.stringify({ text: texts[provider], method, args: given })}\n`);
      const { value } = await answers.next();
      return JSON.parse(value as string) as Outcome;
    },
  };
}
