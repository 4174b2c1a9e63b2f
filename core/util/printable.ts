/**
 * Makes a line safe to print, because hosts, nodes and references may send anything. Removes control characters, which
 * a terminal obeys, and format characters, which reorder (bidi overrides) or hide text. Breaks colour tags
 * (`<{%…%}>`), because the engine crashes at an unknown one.
 */
export function printable(text: string): string {
  return text
    .replace(/\t/g, " ")
    .replace(/\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/gu, "")
    .replaceAll("<{%", "<{ %");
}

export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}

/** True if a value is a single printable line. For values to compare: cleaning could make different values equal. */
export function isPrintable(value: unknown): value is string {
  return typeof value === "string" && printable(value) === value;
}

/** Returns the first line of an error's text: what is wrong. The other lines say what to do. */
export function takeFirstLine(text: string): string {
  const [line = ""] = text.split("\n");
  return line;
}

type Send = (text: string) => Promise<unknown>;
const lines: { send?: Send; sent?: Promise<unknown> } = {};

/** Makes `say` send its lines, one after the other, instead of printing them. */
export function sendLines(send: Send): void {
  Object.assign(lines, { send, sent: undefined });
}

/** Resolves once the lines are sent that were said so far; undefined if there are none. */
export const linesSent = (): Promise<unknown> | undefined => lines.sent;

/** Prints a line from a provider's process, made safe for the terminal. Use no console.log: a line may quote a host. */
export function say(line: string): void {
  const { send, sent } = lines;
  const text = printableLines(line);
  if (send === undefined) console.log(text);
  else lines.sent = Promise.resolve(sent).then(() => send(text));
}
