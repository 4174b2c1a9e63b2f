import { hasKind, ProblemError } from "./problem.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/**
 * Sends one request. Follows no redirect: a POST would lose its body, and the new address would get its secrets.
 * @throws ProblemError `tooLarge`, or an Error with the reason, such as `ECONNREFUSED`, but not the address, which may be secret
 */
export async function sendRequest(url: string, init: RequestInit, timeoutMs: number): Promise<Answer> {
  let answer: Answer;
  try {
    const response = await fetch(url, { ...init, redirect: "manual", signal: AbortSignal.timeout(timeoutMs) });
    // Counts the bytes after decompression, because a small answer may unpack to a large one.
    const text = response.body === null ? "" : await readBoundedStream(response.body);
    answer = { status: response.status, headers: response.headers, text };
  } catch (error) {
    throw hasKind(error, "tooLarge") ? error : new Error(formatRequestError(error, timeoutMs));
  }
  const location = answer.headers.get("location");
  if (location === null || answer.status < 300 || answer.status > 399) return answer;
  const to = URL.canParse(location, url) ? new URL(location, url).origin : "an address that can't be read";
  throw new Error(`it redirects to ${to}, and redirects are not followed: set the address that it redirects to`);
}

/** Formats why a request failed, without fetch's own messages: they name the address, which may hold a secret. */
export function formatRequestError(error: unknown, timeoutMs: number): string {
  const { name, cause } = error as Error & { cause?: { code?: string } };
  return cause?.code ?? (name === "TimeoutError" ? `no answer within ${timeoutMs / 1000} s` : "no connection");
}

/** Maximum size of an answer in bytes. A node has the same limit for requests (docs/chain.md, Node). */
export const answerLimit = 5 * 1024 * 1024;

/** Creates the error for a text beyond its limit. `what` names the text: `the answer`. */
export function createTooLargeError(what: string, limit: number): Error {
  return new ProblemError({ kind: "tooLarge", what: `${what} is larger than ${limit / 1024 / 1024} MiB` });
}

/** Reads a stream to its end. @throws ProblemError `tooLarge` at the limit, without reading further */
export async function readBoundedStream(stream: AsyncIterable<Uint8Array>, limit = answerLimit): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    // Leaving the loop also closes the stream.
    if (size > limit) throw createTooLargeError("the answer", limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
