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
