import { firstLine } from "../../../core/util/firstLine";
import { withTimeout } from "../../../core/util/withTimeout";

export type Part<T> = { readonly value: T } | { readonly why: string };

const limit = 40_000;

export async function partOf<T>(look: () => Promise<T>, milliseconds = limit): Promise<Part<T>> {
  try {
    return { value: await withTimeout(look(), milliseconds, `no answer within ${milliseconds / 1000} s`) };
  } catch (error) {
    return { why: reasonIn(error) };
  }
}

/** The value, for a look that needs it. @throws Error with why there is none */
export function known<T>(part: Part<T>): T {
  if ("why" in part) throw new Error(part.why);
  return part.value;
}

function reasonIn(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return firstLine(text) || "an error without words";
}
