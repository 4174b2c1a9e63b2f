import { printableLines } from "./printable";

/** Tells the operator of a run, in a provider's process. The one way: a host's words may be in it, and a node's. */
export function say(line: string): void {
  console.log(printableLines(line));
}
