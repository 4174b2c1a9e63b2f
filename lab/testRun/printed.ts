import { appendFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { kindsIn, type Secret } from "./secretForms.ts";

/** Names the environment variable with the directory where a test run notes its labs' secrets and what was printed. */
export const notedVariable = "PILLAR_TEST_NOTED";
/** Names the environment variable with the running test file; its set-up sets it. */
export const fileVariable = "PILLAR_TEST_FILE";

interface Line {
  readonly file: string;
  readonly secret?: Secret;
  readonly printed?: string;
}

/** Notes a secret that this process uses from now on. Does nothing outside of a test run. */
export function noteSecret(kind: string, ...texts: readonly string[]): void {
  for (const text of texts) note({ secret: { kind, text } });
}

/** Keeps output of a program under test that a test only inspects. */
export function keepPrinted(printed: string): void {
  note({ printed });
}

function note(line: Omit<Line, "file">): void {
  const directory = process.env[notedVariable];
  if (!directory) return;
  const file = process.env[fileVariable] ?? "outside of a test file";
  appendFileSync(join(directory, `${process.pid}.jsonl`), `${JSON.stringify({ file, ...line })}\n`, { mode: 0o600 });
}

/**
 * Returns the secrets found in a run's output: a line each with file and kind, never with the secret.
 * @param directory that {@link notedVariable} names
 * @param outputs files with the output of the runner itself, of all test files
 */
export function secretsPrinted(directory: string, outputs: readonly string[]): string[] {
  const lines = readdirSync(directory)
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => readFileSync(join(directory, name), "utf8").trimEnd().split("\n"))
    .map((line) => JSON.parse(line) as Line);
  const told = outputs.flatMap((file) => (existsSync(file) ? [readFileSync(file, "utf8")] : [])).join("\n");
  const files = [...new Set(lines.map(({ file }) => file))].sort();
  const found = files.flatMap((file) => {
    const own = lines.filter((line) => line.file === file);
    const secrets = new Map(own.flatMap(({ secret }) => (secret ? [[`${secret.kind} ${secret.text}`, secret]] : [])));
    const printed = own.map(({ printed: text = "" }) => text).join("\n");
    return kindsIn(`${told}\n${printed}`, [...secrets.values()]).map((kind) => ({ file, kind }));
  });
  // These are known by their form only: no test file used such a secret.
  const others = kindsIn(told, []).map((kind) => ({ file: "a test", kind }));
  const named = others.filter(({ kind }) => !found.some((each) => each.kind === kind));
  return [...found, ...named].map(({ file, kind }) => `${file}: it printed ${kind}`);
}
