/** Loads the library on demand, because loading takes a while. */
const prompts = () => require("@inquirer/prompts") as typeof import("@inquirer/prompts");

/** Prompts go to stderr, because a program may read stdout. */
const screen = { output: process.stderr };

/** Waits for the answer to a prompt. Ctrl-C ends the program. */
async function awaitAnswer<T>(asked: Promise<T>): Promise<T> {
  return asked.catch((error: Error) => {
    if (error.name !== "ExitPromptError") throw error;
    process.stderr.write("\n");
    process.exit(130);
  });
}

/** Asks in the terminal, without showing what is typed. */
export function askSecret(message: string): Promise<string> {
  return awaitAnswer(prompts().password({ message }, screen));
}

export async function askText(
  message: string,
  { validate, ...options }: { default?: string; required?: boolean; validate?: (answer: string) => true | string } = {},
): Promise<string> {
  // Trims the answer: a pasted one may have blanks around it.
  const checked = validate && { validate: (answer: string) => validate(answer.trim()) };
  const asked = prompts().input({ message, required: true, ...options, ...checked }, screen);
  return (await awaitAnswer(asked)).trim();
}

export function askChoice<T extends string>(
  message: string,
  choices: readonly { readonly value: T; readonly name: string }[],
): Promise<T> {
  return awaitAnswer(prompts().select<T>({ message, choices: [...choices] }, screen));
}

/** Asks for a yes or no. The default is no. */
export function askConfirmation(message: string): Promise<boolean> {
  return awaitAnswer(prompts().confirm({ message, default: false }, screen));
}
