import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { endPid, treeOf } from "../hosts/processTree.ts";
import { Screen, type TerminalSize } from "./screen.ts";

export const ctrlC = "\u0003";

/** The acts of a reply in the terminal. */
interface Keyboard {
  type(keys: string): void;
  /** Kills the command, and all that it started. */
  kill(): Promise<void>;
}

/** A question, and the keys to type or the act to do. */
export interface Answer {
  readonly seen: RegExp;
  readonly reply: string | ((match: RegExpExecArray, keyboard: Keyboard) => Promise<unknown>);
  /** True if an ordered question may be left out. */
  readonly isOptional?: boolean;
}

interface Typing {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly size: TerminalSize;
  /** Each is given once, in the order in which the questions appear. */
  readonly answers: readonly Answer[];
  /** True if the questions must come in the order of the answers. */
  readonly isOrdered?: boolean;
  /** Receives what the terminal prints. */
  readonly show?: (piece: string) => void;
  /** Milliseconds between two keys, for a viewer. */
  readonly keyMs?: number;
  /** Milliseconds until an open question without an answer is a failure. */
  readonly questionMs?: number;
  /** Milliseconds until the command must have ended. */
  readonly limitMs?: number;
}

export interface Typed {
  readonly exitCode: number;
  /** All that was printed, without control characters. */
  readonly shown: string;
  /** The lines at the end, above the prompt. */
  readonly screen: string;
}

const lookMs = 50;

/** An open question of inquirer, and of pulumi: its menu, and its pass phrase. */
const openQuestion = /^\? |\[Use arrows|passphrase[^\n]*\n?[^\n]*: *$/m;

/** Returns the arguments that run a command in a terminal of this size. */
export const inTerminal = (line: string, { columns, rows }: TerminalSize): string[] => [
  "script",
  "-qefc",
  // A shell that stays gets Ctrl-C, too, and may end the terminal before the command's last words.
  `stty cols ${columns} rows ${rows}; exec ${line}`,
  "/dev/null",
];

/**
 * Runs a command in a terminal of its own, and answers its questions.
 *
 * @throws with the screen if a question stands that no answer is for, if an ordered one does not come, or after the limit
 */
export async function typeCommand(
  argv: readonly string[],
  { cwd, env, size, answers, isOrdered = false, show, keyMs = 0, questionMs = 10_000, limitMs = 600_000 }: Typing,
): Promise<Typed> {
  const [command = "", ...args] = argv;
  const child = spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.on("error", () => undefined);
  const screen = new Screen(size);
  let written = "";
  let quietSince = Date.now();
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    written += piece;
    quietSince = Date.now();
    screen.write(piece);
    show?.(piece);
  });
  let exitCode: number | undefined;
  child.on("close", (code) => {
    exitCode = code ?? -1;
  });
  const keyboard: Keyboard = {
    type: (keys) => void child.stdin.write(keys),
    kill: async () => (await treeOf(child.pid ?? 0)).forEach(endPid),
  };
  const fail = async (what: string): Promise<never> => {
    throw new Error(`${argv.at(-2)}: ${what}; the screen:\n${await screen.read()}`);
  };
  const deadline = Date.now() + limitMs;
  let open = [...answers];
  let from = 0;
  try {
    while (exitCode === undefined) {
      const found = findFirst(isOrdered ? takeNext(open) : open, toPlain(written), from);
      if (found) {
        from = found.match.index + found.match[0].length;
        open = isOrdered ? open.slice(open.indexOf(found.answer) + 1) : open.filter((each) => each !== found.answer);
        const { reply } = found.answer;
        if (typeof reply === "string") await typeKeys(reply, keyMs, keyboard);
        else await reply(found.match, keyboard);
        quietSince = Date.now();
        continue;
      }
      if (Date.now() > deadline) await fail(`it did not end in ${limitMs / 1000} s`);
      if (Date.now() > quietSince + questionMs && openQuestion.test(await screen.read()))
        await fail("it asks a question that no answer is for");
      await sleep(lookMs);
    }
  } finally {
    child.stdin.end();
    if (exitCode === undefined) await keyboard.kill();
  }
  const missed = isOrdered ? open.find(({ isOptional }) => isOptional !== true) : undefined;
  if (missed) await fail(`it did not ask ${missed.seen} (exit code ${exitCode})`);
  return { exitCode, shown: toPlain(written), screen: await screen.read() };
}

const toPlain = (text: string) => stripVTControlCharacters(text).replaceAll("\r", "");

/** Returns the next answer of an order, and the optional ones before it. */
const takeNext = (open: readonly Answer[]): readonly Answer[] => {
  const required = open.findIndex(({ isOptional }) => isOptional !== true);
  return required < 0 ? open : open.slice(0, required + 1);
};

/** Finds the first question at or after a position. Its pattern may look back at all that was printed. */
function findFirst(answers: readonly Answer[], text: string, from: number) {
  return answers
    .flatMap((answer) => {
      const pattern = new RegExp(answer.seen, `g${answer.seen.flags}`);
      pattern.lastIndex = from;
      const match = pattern.exec(text);
      return match ? [{ answer, match }] : [];
    })
    .sort((a, b) => a.match.index - b.match.index)[0];
}

async function typeKeys(keys: string, keyMs: number, { type }: Keyboard): Promise<void> {
  if (keyMs === 0) return type(keys);
  // The reader sees the question first.
  await sleep(10 * keyMs);
  for (const key of keys) {
    type(key);
    await sleep(keyMs);
  }
}
