/**
 * Returns a line that is safe to print; hosts, nodes and references may send anything. Removes control characters,
 * which command the terminal, and format characters, which reorder (bidi overrides) or hide text. Breaks colour tags
 * (`<{%…%}>`), because the engine crashes at a tag that it does not know.
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

/** True if a value is a single printable line. Values that are compared must be refused, never repaired. */
export function isPrintable(value: unknown): value is string {
  return typeof value === "string" && printable(value) === value;
}
