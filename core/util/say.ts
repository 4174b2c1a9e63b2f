import { printableLines } from "./printable";

/** Prints a line from a provider's process, made safe for the terminal. Use no console.log: a line may quote a host. */
export function say(line: string): void {
  console.log(printableLines(line));
}
