import { closest, distance } from "fastest-levenshtein";
import type { z } from "zod";
import type { Schema } from "./schemaKeys";

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

/** What `pulumi config set --path` makes of a word (pure). */
export function typedByPath(word: string): string | number | boolean {
  if (word === "true" || word === "false") return word === "true";
  return /^(0|-?[1-9]\d{0,14})$/.test(word) ? Number(word) : word;
}

/** Whether a key takes a word as text alone, and `--path` would make another type of it (pure). */
export function isTextForPath(word: unknown, schema: Schema): boolean {
  if (typeof word !== "string") return false;
  const takes = (value: unknown) => (schema as z.ZodType).safeParse(value).success;
  return takes(word) && !takes(typedByPath(word));
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
