import { printableLines } from "./printable";

/** Prints a line for the operator, from a provider's process. Use nothing else: the line may quote a host or a node. */
export function say(line: string): void {
  console.log(printableLines(line));
}
