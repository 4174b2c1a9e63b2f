import { ProblemError } from "../../core/util/problem.ts";
import { interruptedExitCode } from "./interruption.ts";

/** Loads the library on demand, because loading takes a while. */
const prompts = () => import("@inquirer/prompts");

/** Prompts go to stderr, because a program may read stdout. */
const screen = { output: process.stderr };

export const isTerminal = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

/** Asks in the terminal; Ctrl-C ends the program. @throws ProblemError without a terminal, which says what to give */
async function ask<T>(instead = "the answer in a terminal", prompt: () => Promise<T>): Promise<T> {
  if (!isTerminal())
    throw new ProblemError({ what: "there is no terminal to ask in; nothing was changed", needed: `give ${instead}` });
  return prompt().catch((error: Error) => {
    if (error.name !== "ExitPromptError") throw error;
    process.stderr.write("\n");
    process.exit(interruptedExitCode);
  });
}

export function askSecret(message: string, instead?: string): Promise<string> {
  return ask(instead, async () => (await prompts()).password({ message }, screen));
}

interface TextOptions {
  readonly instead?: string;
  readonly default?: string;
  readonly required?: boolean;
  readonly validate?: (answer: string) => true | string;
}

export async function askText(message: string, { instead, validate, ...options }: TextOptions = {}): Promise<string> {
  // Trims the answer: a pasted one may have blanks around it.
  const checked = validate && { validate: (answer: string) => validate(answer.trim()) };
  const answer = await ask(instead, async () =>
    (await prompts()).input({ message, required: true, ...options, ...checked }, screen),
  );
  return answer.trim();
}

export function askChoice<T extends string>(
  message: string,
  choices: readonly { readonly value: T; readonly name: string }[],
  instead: string,
): Promise<T> {
  return ask(instead, async () => (await prompts()).select<T>({ message, choices: [...choices] }, screen));
}

export function askConfirmation(message: string): Promise<boolean> {
  return ask(undefined, async () => (await prompts()).confirm({ message, default: false }, screen));
}
