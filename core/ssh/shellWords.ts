import { quote } from "../util/quote";

export { quote } from "../util/quote";

/** A variable of a script. Lists become words with blanks between, so their items must have none. */
export type Value = string | number | boolean | readonly (string | number)[];

/** Assignments, one a line, of variables in snake_case (pure). */
export function assignments(values: Readonly<Record<string, Value>>): string {
  const text = (value: Value) => {
    if (typeof value === "boolean") return value ? "yes" : "no";
    return Array.isArray(value) ? value.join(" ") : String(value);
  };
  return Object.entries(values)
    .map(([name, value]) => `${name}=${quote(text(value))}\n`)
    .join("");
}
