/** Parses the lines `name=value` of a script's output, in order. Ignores other lines. */
export function parseFields(printed: string | readonly string[]): (readonly [name: string, value: string])[] {
  const lines = typeof printed === "string" ? printed.split("\n") : printed;
  return lines.flatMap((line) => {
    const [, name, value = ""] = /^([A-Za-z0-9._]+)=(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, value] as const];
  });
}
