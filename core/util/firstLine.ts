/** Returns the first line of an error's text: what is wrong. The other lines say what to do. */
export function takeFirstLine(text: string): string {
  const [line = ""] = text.split("\n");
  return line;
}
