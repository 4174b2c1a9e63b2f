import { isTty, readLine, red, setEcho, write } from "./machine.ts";

/** Shows the options and reads numbers until one is valid. Without a terminal, silently returns the first option. */
export function menu(prompt: string, options: readonly string[]): string {
  const first = options[0];
  if (first === undefined) throw new Error("a menu needs options");
  if (!isTty) return first;
  options.forEach((option, index) => {
    write(`${String(index + 1).padStart(3)}) ${option}\n`);
  });
  for (;;) {
    const line = ask(prompt);
    const number = Number(line);
    if (!Number.isInteger(number)) write(`${red(`Value must be an integer from 1 to ${options.length}`)}\n`);
    else if (number < 1 || number > options.length) write("Invalid selection.\n");
    else return options[number - 1] ?? first;
  }
}

/** Asks until the answer is yes or no. Returns the default for an empty line or without a terminal. */
export function confirm(prompt: string, defaultValue: boolean): boolean {
  if (!isTty) return defaultValue;
  for (;;) {
    write(`${prompt} ${defaultValue ? "(Y/n):" : "(y/N):"} `);
    const entered = readLine().toLowerCase();
    const answer = entered.trim();
    if (answer === "") return defaultValue;
    if (["y", "t", "true", "yes"].includes(answer)) return true;
    if (["n", "f", "false", "no"].includes(answer)) return false;
    write(`Invalid value: ${entered}\n`);
  }
}

/** Asks for a text until it is long enough. Without a terminal, returns an empty text. */
export function ask(prompt: string, options: { hidden?: boolean; minLength?: number } = {}): string {
  if (!isTty) return "";
  const { hidden = false, minLength = 1 } = options;
  for (;;) {
    // The echo goes off before the prompt appears. Otherwise a fast answer would be shown.
    if (hidden) setEcho(false);
    write(`${prompt} `);
    const line = readLine().trim();
    if (hidden) setEcho(true);
    if (hidden) write(`${"*".repeat(line.length)}\n`);
    if (line === "") write(`${red("You must enter a value.")}\n`);
    else if (line.length < minLength) write(`${red(`You must enter at least ${minLength} characters.`)}\n`);
    else return line;
  }
}
