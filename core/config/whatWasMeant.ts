import { closest, distance } from "fastest-levenshtein";

/** The word that is nearly the same as this one; none where it is far from all (pure). */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (known.length === 0 || word === "") return undefined;
  const found = closest(
    word.toLowerCase(),
    [...known].map((one) => one.toLowerCase()),
  );
  if (distance(word.toLowerCase(), found) > 3) return undefined;
  return known.find((one) => one.toLowerCase() === found);
}

/** The number that a text stands for, such as `"35997"` (pure). */
export function meantNumber(value: unknown): number | undefined {
  return typeof value === "string" && /^-?\d{1,15}(\.\d+)?$/.test(value) ? Number(value) : undefined;
}

/** What a text stands for where true or false is needed (pure). */
export function meantBoolean(value: unknown): boolean | undefined {
  if (typeof value !== "string") return undefined;
  if (/^(true|yes|on)$/i.test(value)) return true;
  return /^(false|no|off)$/i.test(value) ? false : undefined;
}
