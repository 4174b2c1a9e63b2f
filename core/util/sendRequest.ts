import { normalizeHost, parseHostPort } from "./hostPort.ts";
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
    throw hasKind(error, "tooLarge") ? error : new Error(formatRequestError(error, url, timeoutMs));
  }
  const location = answer.headers.get("location");
  if (location === null || answer.status < 300 || answer.status > 399) return answer;
  const to = URL.canParse(location, url) ? new URL(location, url).origin : "an address that can't be read";
  throw new Error(`it redirects to ${to}, and redirects are not followed: set the address that it redirects to`);
}

type SystemError = Partial<Error & Record<"code" | "hostname" | "address", string> & { port: number }>;
type Cause = SystemError & { readonly errors?: readonly SystemError[]; readonly cause?: Error };

const proxyHelp = "HTTPS_PROXY or HTTP_PROXY has its address; NO_PROXY excepts a name or address, not a network";

/**
 * Formats why a request failed, without fetch's own messages: they name the address, which may hold a secret. What failed
 * at another place than the asked one failed at the proxy.
 */
export function formatRequestError(error: unknown, url: string, timeoutMs: number): string {
  const { name, cause } = error as Error & { readonly cause?: Cause };
  if (name === "TimeoutError") return `no answer within ${timeoutMs / 1000} s`;
  const [, status] = /^Proxy response \((\d+)\)/.exec(cause?.cause?.message ?? "") ?? [];
  const login = status === "407" ? "it wants a user and password: http://USER:PASSWORD@HOST:PORT; " : "";
  if (status !== undefined) return `the proxy answers ${status} (${login}${proxyHelp})`;
  if (cause?.name === "HTTPParserError") return "what answers there speaks no HTTP";
  const { hostname, address, port } = cause?.errors?.[0] ?? cause ?? {};
  const isOther = hostname
    ? normalizeHost(hostname) !== parseHostPort(url).host
    : port && String(port) !== parseHostPort(url).port;
  const words = typeof cause?.code === "string" ? cause.code : "no connection";
  return isOther ? `${words} at the proxy ${hostname ?? `${address}:${port}`} (${proxyHelp})` : words;
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
