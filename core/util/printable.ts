/**
 * One line as it may be shown. Control characters, an escape sequence's ESC and C1 forms among them, would command
 * the terminal; format characters turn what is read around (bidi overrides) or hide it. Hosts, nodes and references may
 * send any. At a colour in its own writing (`<{%…%}>`) that it does not know, the engine ends itself.
 */
export function printable(text: string): string {
  return text
    .replace(/\t/g, " ")
    .replace(/\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/gu, "")
    .replaceAll("<{%", "<{ %");
}

/** Makes several lines printable, which stay lines. */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}

/** True if a value is a text that is one line and nothing else: what is compared is refused, never mended. */
export function isPrintable(value: unknown): value is string {
  return typeof value === "string" && printable(value) === value;
}
