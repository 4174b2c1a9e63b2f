import { quote } from "../util/quote.ts";

/** A variable of a script. A list becomes words with blanks between them, so no item may have a blank. */
export type Value = string | number | boolean | readonly (string | number)[];

/** Returns assignments, one a line, of variables in snake_case. A variable without a value is left out. */
export function formatAssignments(values: Readonly<Record<string, Value | undefined>>): string {
  const text = (value: Value) => {
    if (typeof value === "boolean") return value ? "yes" : "no";
    return Array.isArray(value) ? value.join(" ") : String(value);
  };
  return Object.entries(values)
    .map(([name, value]) => (value === undefined ? "" : `${name}=${quote(text(value))}\n`))
    .join("");
}
