import { quote } from "../util/quote";

/** A variable of a script. Lists become words with blanks between, so their items must have none. */
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
