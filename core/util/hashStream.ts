import { createHash } from "node:crypto";

/** Returns the sha256 of all that a stream has, in hexadecimal digits. @throws the stream's error */
export async function hashStream(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest("hex");
}
