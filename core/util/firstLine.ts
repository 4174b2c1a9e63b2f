/** What is wrong, of an error's text whose other lines say what to do. */
export function firstLine(text: string): string {
  const [line = ""] = text.split("\n");
  return line;
}
