import http from "node:http";
import { normalizeHost, parseHostPort } from "./hostPort.ts";
import { hasKind, ProblemError } from "./problem.ts";
import { findProxies } from "./start.cjs";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/**
 * Sends one request. Follows no redirect: a POST would lose its body, and the new address would get its secrets.
 * @throws ProblemError `tooLarge`, or with the reason, such as `ECONNREFUSED`, but not the address, which may be secret
 */
export async function sendRequest(url: string, init: RequestInit, timeoutMs: number): Promise<Answer> {
  let answer: Answer;
  try {
    const response = await fetch(url, { ...init, redirect: "manual", signal: AbortSignal.timeout(timeoutMs) });
    // Counts the bytes after decompression, because a small answer may unpack to a large one.
    const text = response.body === null ? "" : await readBoundedStream(response.body);
    answer = { status: response.status, headers: response.headers, text };
  } catch (error) {
    if (hasKind(error, "tooLarge")) throw error;
    throw new ProblemError({ kind: findKind(error), what: formatRequestError(error, url, timeoutMs) });
  }
  const location = answer.headers.get("location");
  if (location === null || answer.status < 300 || answer.status > 399) return answer;
  const to = URL.canParse(location, url) ? new URL(location, url).origin : "an address that can't be read";
  throw new Error(`it redirects to ${to}, and redirects are not followed: set the address that it redirects to`);
}

type SystemError = Partial<Error & Record<"code" | "hostname" | "address", string> & { port: number }>;
type Cause = SystemError & { readonly errors?: readonly SystemError[]; readonly cause?: Error };

const proxyHosts = () => findProxies().flatMap(([, url = ""]) => (URL.canParse(url) ? parseHostPort(url) : []));

/** True if this Node takes no proxy from the environment (core/util/start.cjs). */
const isProxyUnused = () =>
  findProxies().length > 0 && http.setGlobalProxyFromEnv === undefined && process.env.NODE_USE_ENV_PROXY !== "1";

const unreached =
  /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|E(HOST|NET)UNREACH|ETIMEDOUT|UND_ERR_.*(TIMEOUT|SOCKET))$/;

/** Returns `unreached` if curl fails for the same reason, so that it shows when to try again. */
function findKind(error: unknown) {
  const { name, cause } = error as Error & { readonly cause?: Cause };
  const isUnreached = name === "TimeoutError" || unreached.test(cause?.code ?? "");
  return isUnreached && !isProxyUnused() ? "unreached" : undefined;
}

/** Codes of a certificate whose authority Node does not know. */
const untrusted = /^(SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|CERT_UNTRUSTED)/;
const trustHelp =
  "if an authority of your own signed the certificate: set NODE_EXTRA_CA_CERTS to that authority's file";
const unusedHelp = `Node ${process.versions.node} uses no proxy: update it to 24.14 or newer, or set NODE_USE_ENV_PROXY=1`;
const proxyHelp = "HTTPS_PROXY or HTTP_PROXY has its address; NO_PROXY excepts a name or address, not a network";

/**
 * Formats why a request failed, without fetch's own messages: they name the address, which may hold a secret. What failed
 * at another place than the asked one failed at the proxy, or where a redirect leads.
 */
export function formatRequestError(error: unknown, url: string, timeoutMs: number): string {
  const { name, cause } = error as Error & { readonly cause?: Cause };
  const unused = isProxyUnused() ? ` (${unusedHelp})` : "";
  if (name === "TimeoutError") return `no answer within ${timeoutMs / 1000} s${unused}`;
  const [, status] = /^Proxy response \((\d+)\)/.exec(cause?.cause?.message ?? "") ?? [];
  const login = status === "407" ? "it wants a user and password: http://USER:PASSWORD@HOST:PORT; " : "";
  if (status !== undefined) return `the proxy answers ${status} (${login}${proxyHelp})`;
  if (cause?.name === "HTTPParserError") return "what answers there speaks no HTTP";
  const { hostname, address, port } = cause?.errors?.[0] ?? cause ?? {};
  const isOther = hostname
    ? normalizeHost(hostname) !== parseHostPort(url).host
    : port && String(port) !== parseHostPort(url).port;
  const words = typeof cause?.code === "string" ? cause.code : "no connection";
  if (untrusted.test(words)) return `${words} (${trustHelp})`;
  if (!isOther) return `${words}${unused}`;
  const place = hostname ?? `${address}:${port}`;
  const isProxy = proxyHosts().some((proxy) =>
    hostname ? proxy.host === normalizeHost(hostname) : proxy.port === String(port),
  );
  return isProxy
    ? `${words} at the proxy ${place} (${proxyHelp})`
    : `${words} at ${place}, to which it redirects${unused}`;
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
