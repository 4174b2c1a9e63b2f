/** The most bytes of an answer that are read: a node's own limit for what it is sent (docs/chain.md, Node). */
export const answerLimit = 5 * 1024 * 1024;

/** An answer that was not read to its end; an interface, because a class would not serialize. */
export interface TooLargeError extends Error {
  tooLarge: true;
}

export function isTooLarge(error: unknown): error is TooLargeError {
  return error instanceof Error && (error as Partial<TooLargeError>).tooLarge === true;
}

/** @param what names it: `the answer` */
export function tooLarge(what: string, limit: number): TooLargeError {
  const message = `${what} is larger than ${limit / 1024 / 1024} MiB`;
  return Object.assign(new Error(message), { tooLarge: true as const });
}

/**
 * The text of an answer of `fetch`, whose time its signal limits. What is packed counts as it is unpacked: a small answer
 * may be a large one.
 *
 * @throws TooLargeError beyond the limit, without reading on
 */
export async function boundedText(response: Response, limit = answerLimit): Promise<string> {
  if (response.body === null) return "";
  return boundedTextOf(response.body as unknown as AsyncIterable<Uint8Array>, limit);
}

/** The same of any stream. */
export async function boundedTextOf(stream: AsyncIterable<Uint8Array>, limit = answerLimit): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    // To leave the loop ends the stream.
    if (size > limit) throw tooLarge("the answer", limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
