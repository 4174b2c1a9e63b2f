import { red } from "./colour";

/** Standard input and output of the controller. */
export interface Terminal {
  /** Whether standard input is a terminal: without one, nothing is printed, asked or read. */
  readonly isTty: boolean;
  write(text: string): void;
  /** One line without its end; the empty text at the end of input. */
  readLine(): string;
  /** Whether what is typed is shown. */
  setEcho(on: boolean): void;
}

/** Shows the options and reads a number until it is a valid one. Without a terminal: the first option, silently. */
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

/** Asks yes or no until the answer is one. An empty line, or no terminal, is the default. */
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

/** Asks for a text that is not empty. Without a terminal: the empty text, unchecked. */
export function ask(
  terminal: Terminal,
  prompt: string,
  options: { hidden?: boolean; minLength?: number } = {},
): string {
  if (!terminal.isTty) return "";
  const { hidden = false, minLength = 1 } = options;
  for (;;) {
    // Before the prompt: whoever answers it at once must not be echoed either.
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
