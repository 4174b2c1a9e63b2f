import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";

/** A question, and the keys to type or the act to do elsewhere. */
export interface Answer {
  readonly seen: RegExp;
  readonly reply: string | ((match: RegExpExecArray) => Promise<void>);
}

/** Time between two keys: a reader can follow. */
const keyMs = 40;
const lookMs = 50;

/** Programs ask a terminal for its colours and its cursor. The viewer's terminal would type the answer for a shell. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
export const terminalQuery = /\u001b(?:\]1[0-9];\?(?:\u0007|\u001b\\)|\[[56]n|\[c)/g;

/**
 * Runs a command in a terminal of its own. Answers each question once, in the order in which they appear. Returns the
 * exit code.
 */
export async function typeCommand(
  argv: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
  answers: readonly Answer[],
  show: (text: string) => void,
): Promise<number> {
  const [command = "", ...args] = argv;
  const child = spawn(command, args, { ...options, stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.on("error", () => undefined);
  let shown = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    shown += piece;
    show(piece.replaceAll(terminalQuery, ""));
  });
  let exitCode: number | undefined;
  child.on("close", (code) => {
    exitCode = code ?? 1;
  });
  let open = [...answers];
  let from = 0;
  while (exitCode === undefined) {
    const rest = stripVTControlCharacters(shown).replaceAll("\r", "").slice(from);
    const found = findFirst(open, rest);
    if (found) {
      from += found.match.index + found.match[0].length;
      open = open.filter((each) => each !== found.answer);
      const { reply } = found.answer;
      if (typeof reply !== "string") await reply(found.match);
      else await typeKeys(reply, (key) => void child.stdin.write(key));
    } else await sleep(lookMs);
  }
  return exitCode;
}

function findFirst(answers: readonly Answer[], text: string) {
  return answers
    .flatMap((answer) => {
      const match = answer.seen.exec(text);
      return match ? [{ answer, match }] : [];
    })
    .sort((a, b) => a.match.index - b.match.index)[0];
}

async function typeKeys(keys: string, write: (key: string) => void): Promise<void> {
  // The reader sees the question first.
  await sleep(10 * keyMs);
  for (const key of keys) {
    write(key);
    await sleep(keyMs);
  }
}
