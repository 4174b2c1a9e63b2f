/** The lines `name=value` of what a script printed, in their order; other lines are left out. */
export function fieldsOf(printed: string | readonly string[]): (readonly [name: string, value: string])[] {
  const lines = typeof printed === "string" ? printed.split("\n") : printed;
  return lines.flatMap((line) => {
    const [, name, value = ""] = /^([A-Za-z0-9.]+)=(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, value] as const];
  });
}
