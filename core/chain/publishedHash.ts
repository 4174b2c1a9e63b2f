import { hashStream } from "../util/hashStream.ts";
import { ProblemError } from "../util/problem.ts";
import { formatRequestError, readBoundedStream } from "../util/sendRequest.ts";

/** A hash as the maker of a release publishes it, and the address of the file that names it. */
export type PublishedHash = Readonly<{ sha256: string; file: string }>;

/** Returns the hash that a checksum file beside a release names; undefined if no file does. @throws ProblemError */
export async function readPublishedHash(url: string): Promise<PublishedHash | undefined> {
  const asset = getFileName(url);
  for (const name of ["SHA256CHECKSUMS.txt", "SHA256SUMS", `${asset}.sha256`]) {
    const file = new URL(name, url).href;
    const text = await download(file, 15_000, (body) => readBoundedStream(body));
    const sha256 = typeof text === "string" && findHash(text, asset);
    if (sha256) return { sha256, file };
  }
  return undefined;
}

/** Downloads a release and returns its hash. That hash says nothing about who made the release. @throws ProblemError */
export async function hashDownload(url: string): Promise<string> {
  const sha256 = await download(url, 600_000, hashStream);
  if (typeof sha256 === "number") throw createError(url, sha256 === 404 ? "no such file" : `it answers ${sha256}`);
  return sha256;
}

/** Returns the page on which a person finds a release. */
export const findReleasePage = (url: string): string =>
  new URL(".", url).href.replace(/(\/releases)\/download\/([^/]+)\/$/, "$1/tag/$2");

const getFileName = (url: string) => new URL(url).pathname.split("/").at(-1) ?? "";

/** Finds the hash before a file's name, or alone. Several pairs may share a line. Two different hashes count as none. */
function findHash(text: string, asset: string): string | undefined {
  const name = asset.replaceAll(/\W/g, "\\$&");
  const pairs = text.matchAll(new RegExp(`([0-9a-f]{64})\\s+\\*?(?:\\./)?${name}(?![\\w.-])`, "gi"));
  const hashes = new Set(
    [...pairs, /^\s*([0-9a-f]{64})\s*$/i.exec(text) ?? []].flatMap(([, hash]) => hash?.toLowerCase() ?? []),
  );
  return hashes.size === 1 ? [...hashes][0] : undefined;
}

/** Follows redirects, which release pages make. Returns the status of a refusal. @throws ProblemError */
async function download<T>(url: string, timeoutMs: number, read: (body: AsyncIterable<Uint8Array>) => Promise<T>) {
  try {
    const { url: last, ok, status, body } = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    // Anybody on the network path could replace such an answer, and the hash with it.
    const wrong = last.startsWith("https:") ? status >= 500 && `it answers ${status}` : "it is served over plain http";
    if (ok && body && !wrong) return await read(body);
    await body?.cancel();
    if (wrong) throw createError(url, wrong);
    return status;
  } catch (error) {
    throw error instanceof ProblemError ? error : createError(url, formatRequestError(error, url, timeoutMs));
  }
}

const createError = (url: string, found: string) =>
  new ProblemError({ what: `a release's hash could not be read from ${url}`, found });
