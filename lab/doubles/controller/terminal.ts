import { red } from "./colour";

/** Standard input and output of the controller. */
export interface Terminal {
  /** True if standard input is a terminal. Otherwise the controller shows no prompt and reads no answer. */
  readonly isTty: boolean;
  write(text: string): void;
  /** Reads one line without its line end. Returns an empty text at the end of the input. */
  readLine(): string;
  /** Sets whether typed characters are shown. */
  setEcho(on: boolean): void;
}

/** Shows the options and reads numbers until one is valid. Without a terminal, silently returns the first option. */
export function menu(terminal: Terminal, prompt: string, options: readonly string[]): string {
  const first = options[0];
  if (first === undefined) throw new Error("a menu needs options");
  if (!terminal.isTty) return first;
  options.forEach((option, index) => {
    terminal.write(`${String(index + 1).padStart(3)}) ${option}\n`);
  });
  for (;;) {
    const line = ask(terminal, prompt);
    const number = Number(line);
    if (!Number.isInteger(number)) terminal.write(`${red(`Value must be an integer from 1 to ${options.length}`)}\n`);
    else if (number < 1 || number > options.length) terminal.write("Invalid selection.\n");
    else return options[number - 1] ?? first;
  }
}

/** Asks until the answer is yes or no. Returns the default for an empty line or without a terminal. */
export function confirm(terminal: Terminal, prompt: string, defaultValue: boolean): boolean {
  if (!terminal.isTty) return defaultValue;
  for (;;) {
    terminal.write(`${prompt} ${defaultValue ? "(Y/n):" : "(y/N):"} `);
    const entered = terminal.readLine().toLowerCase();
    const answer = entered.trim();
    if (answer === "") return defaultValue;
    if (["y", "t", "true", "yes"].includes(answer)) return true;
    if (["n", "f", "false", "no"].includes(answer)) return false;
    terminal.write(`Invalid value: ${entered}\n`);
  }
}

/** Asks for a text until it is long enough. Without a terminal, returns an empty text. */
export function ask(
  terminal: Terminal,
  prompt: string,
  options: { hidden?: boolean; minLength?: number } = {},
): string {
  if (!terminal.isTty) return "";
  const { hidden = false, minLength = 1 } = options;
  for (;;) {
    // The echo goes off before the prompt appears. Otherwise a fast answer would be shown.
    if (hidden) terminal.setEcho(false);
    terminal.write(`${prompt} `);
    const line = terminal.readLine().trim();
    if (hidden) terminal.setEcho(true);
    if (hidden) terminal.write(`${"*".repeat(line.length)}\n`);
    if (line === "") terminal.write(`${red("You must enter a value.")}\n`);
    else if (line.length < minLength) terminal.write(`${red(`You must enter at least ${minLength} characters.`)}\n`);
    else return line;
  }
}
