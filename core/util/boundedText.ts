/** Maximum size of an answer in bytes. A node has the same limit for requests (docs/chain.md, Node). */
export const answerLimit = 5 * 1024 * 1024;

export function isTooLarge(error: unknown): boolean {
  return error instanceof Error && "tooLarge" in error;
}

/** Creates the error for a text beyond its limit. `what` names the text: `the answer`. */
export function createTooLargeError(what: string, limit: number): Error {
  const message = `${what} is larger than ${limit / 1024 / 1024} MiB`;
  return Object.assign(new Error(message), { tooLarge: true });
}

/** Reads a stream to its end. @throws TooLargeError at the limit, without reading further */
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
