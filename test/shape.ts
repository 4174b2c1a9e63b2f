type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * Lists where an answer has other keys or types than a recorded one. Null fits everything, since a recording shows one
 * state; in a list, each element is held to the first recorded one, and a recorded `{}` stands for a map of labels.
 */
export function differences(recorded: Json | undefined, answered: Json | undefined, at = ""): string[] {
  if (recorded === null || answered === null || recorded === undefined || answered === undefined) return [];
  if (Array.isArray(recorded) && Array.isArray(answered))
    return recorded.length === 0
      ? []
      : [...new Set(answered.flatMap((each) => differences(recorded[0], each, `${at}[]`)))];
  if (typeOf(recorded) !== typeOf(answered)) return [`${at}: ${typeOf(answered)}, recorded: ${typeOf(recorded)}`];
  if (!isObject(recorded) || !isObject(answered) || Object.keys(recorded).length === 0) return [];
  const under = (key: string) => (at === "" ? key : `${at}.${key}`);
  const lacking = Object.keys(recorded).filter((key) => answered[key] === undefined);
  const invented = Object.keys(answered).filter((key) => !(key in recorded));
  return [
    ...lacking.map((key) => `${under(key)}: missing`),
    ...invented.map((key) => `${under(key)}: not recorded`),
    ...Object.keys(recorded)
      .filter((key) => !lacking.includes(key))
      .flatMap((key) => differences(recorded[key], answered[key], under(key))),
  ];
}

const typeOf = (value: Json) => (Array.isArray(value) ? "list" : typeof value);
const isObject = (value: Json): value is { readonly [key: string]: Json } => typeOf(value) === "object";
