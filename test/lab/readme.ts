import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { keepPrinted } from "../../lab/testRun/printed.ts";

/** A code block of a document, and its heading. */
export interface CodeBlock {
  readonly heading: string;
  readonly language: string;
  readonly text: string;
}

/** Returns all code blocks in order. */
export function codeBlocks(text: string): CodeBlock[] {
  const pattern = /^## (?<title>.+)$|^```(?<language>\w+)\n(?<code>[\s\S]*?)^```$/gm;
  let heading = "";
  return [...text.matchAll(pattern)].flatMap(({ groups = {} }) => {
    heading = groups.title ?? heading;
    return groups.language === undefined ? [] : [{ heading, language: groups.language, text: groups.code ?? "" }];
  });
}

/** Returns the commands of the typed blocks in order, each with its heading. */
export function commandsOf(blocks: readonly CodeBlock[]): { heading: string; command: string }[] {
  return blocks
    .filter(({ language }) => language === "sh")
    .flatMap(({ heading, text }) =>
      text
        .trim()
        .split("\n")
        .map((command) => ({ heading, command })),
    );
}

/** A pattern of the terminal's output, and the answer to type. */
export type Exchange = readonly [seen: RegExp, answer: string, only?: "where asked"];

const limit = 600_000;

/**
 * Types a command in a separate terminal, and answers its questions in this order.
 *
 * @returns the terminal's output, without colours, and as it was written
 * @throws if it asks another question, does not ask, or takes too long
 */
export async function typed(
  argv: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
  exchanges: readonly Exchange[] = [],
): Promise<{ exitCode: number; shown: string; written: string }> {
  const [command = "", ...args] = argv;
  const child = spawn(command, args, { ...options, stdio: ["pipe", "pipe", "inherit"] });
  let shown = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    shown += piece;
  });
  child.stdin.on("error", () => undefined);
  const ended = new Promise<number>((resolve) => child.on("close", (code) => resolve(code ?? -1)));
  const over = { exitCode: undefined as number | undefined };
  void ended.then((code) => {
    over.exitCode = code;
  });
  const deadline = Date.now() + limit;
  let from = 0;
  try {
    for (const [seen, answer, only] of exchanges) {
      let found = -1;
      while (found < 0) {
        const rest = plain(shown).slice(from);
        const match = seen.exec(rest);
        if (match) {
          found = match.index + match[0].length;
          from += found;
        } else if (only === "where asked" && over.exitCode !== undefined) break;
        else if (over.exitCode !== undefined || Date.now() > deadline)
          throw new Error(`${argv.at(-2)}: did not ask ${seen} (exit ${over.exitCode}):\n${plain(shown)}`);
        else await sleep(50);
      }
      if (found >= 0) child.stdin.write(answer);
    }
    while (over.exitCode === undefined) {
      if (Date.now() > deadline) throw new Error(`${argv.at(-2)}: did not end:\n${plain(shown)}`);
      await sleep(50);
    }
  } finally {
    child.stdin.end();
    if (over.exitCode === undefined) child.kill("SIGTERM");
  }
  keepPrinted(plain(shown));
  return { exitCode: over.exitCode, shown: plain(shown), written: shown };
}

/** Removes the terminal's control sequences. */
const plain = (text: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  text.replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/g, "").replaceAll("\r", "");
