import { setTimeout as pause } from "node:timers/promises";
import { type Answer, ask } from "../util/ask";
import { isTooLarge } from "../util/boundedText";
import { printable } from "../util/printable";

interface ApiOptions {
  readonly provider: string;
  readonly endpoint: string;
  readonly token: string;
  readonly sleep?: (milliseconds: number) => Promise<unknown>;
  readonly say?: (line: string) => void;
}

export type CloudAccess = Omit<ApiOptions, "provider" | "endpoint"> & { readonly endpoint?: string };

/** A refusal by a cloud's API, in words for the operator; never with the token. */
export class CloudError extends Error {
  constructor(
    message: string,
    /** 0 where nothing answered. */
    readonly status = 0,
  ) {
    super(message);
  }
}

const requestTimeoutMs = 30_000;
const maxReadAttempts = 4;
const maxGonePolls = 60;
const gonePollMs = 2000;
const maxRateLimitWaitMs = 10 * 60_000;
/** More pages than any account's lists have. */
const maxPages = 100;

const needed: Readonly<Record<number, string>> = {
  401: "an API token that is valid, with read and write permission",
  403: "an API token with read and write permission",
  429: "patience, or a token that nothing else uses: run the same command again later",
};

interface Api extends ApiOptions {
  readonly sleep: (milliseconds: number) => Promise<unknown>;
  /** The endpoint without a password in it. */
  readonly at: string;
}

type Request = <T>(method: string, path: string, body?: object) => Promise<T>;

/** Makes a client of a cloud's API. Every method @throws CloudError */
export function createHttp({ sleep = pause, ...options }: ApiOptions) {
  const api = { ...options, sleep, at: options.endpoint.replace(/\/\/.*@/, "//") };
  const request = createRequest(api);
  const get = <T>(path: string) => request<T>("GET", path);
  const remove = (path: string) => request<void>("DELETE", path);
  const find = <T>(path: string): Promise<T | undefined> =>
    get<T>(path).catch((error: CloudError) => {
      if (error.status === 404) return undefined;
      throw error;
    });
  return {
    get,
    find,
    remove,
    list: <T>(path: string, key: string) => readPages<T>(api, get, path, key),
    put: (path: string, body: object) => request<void>("PUT", path, body),
    /** Removes a thing, and waits until it is gone. */
    removeWhole: async (path: string) => {
      if (!(await find(path))) return;
      await remove(path);
      for (let left = maxGonePolls; await find(path); left -= 1) {
        if (left === 0)
          throw new CloudError(`${api.provider} did not remove ${path} within ${(maxGonePolls * gonePollMs) / 1000} s`);
        await sleep(gonePollMs);
      }
    },
    /** Refuses a token that can only read, by removing a thing that does not exist. */
    mayWrite: (path: string) =>
      remove(path).catch((error: CloudError) => {
        const isAboutThing = error.status >= 400 && error.status < 500 && ![401, 403, 429].includes(error.status);
        if (!isAboutThing) throw error;
      }),
  };
}

/** Makes the function that sends requests, waits where requests are limited, and retries reads if the API fails. */
function createRequest(api: Api): Request {
  const { provider, endpoint, token, sleep, say } = api;
  let waitedMs = 0;
  return async <T>(method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const maxAttempts = method === "GET" ? maxReadAttempts : 1;
    for (let attempt = 1; ; attempt += 1) {
      const answer = await ask(`${endpoint}${path}`, init, requestTimeoutMs).catch((error: Error) => error);
      const isLimited = !(answer instanceof Error) && answer.status === 429;
      const isOutOfOrder = answer instanceof Error ? !isTooLarge(answer) : answer.status >= 500;
      const delayMs = isLimited ? readRetryDelayMs(answer.headers, Date.now()) : 1000 * 2 ** attempt;
      if (isLimited) waitedMs += delayMs;
      if (isLimited ? waitedMs >= maxRateLimitWaitMs : !isOutOfOrder || attempt >= maxAttempts)
        return parseAnswer(api, method, path, answer) as T;
      if (isLimited)
        say?.(`${provider} limits the requests of this token: waiting ${Math.ceil(delayMs / 1000)} s as told`);
      await sleep(delayMs);
    }
  };
}

async function readPages<T>(
  { provider }: Api,
  get: <B>(path: string) => Promise<B>,
  path: string,
  key: string,
): Promise<T[]> {
  type Page = { meta?: { pagination?: { next_page: unknown } }; links?: { pages?: { next?: unknown } } };
  const items: T[] = [];
  for (let page = 1; page <= maxPages; page += 1) {
    const body = await get<Page & Record<string, T[]>>(
      `${path}${path.includes("?") ? "&" : "?"}page=${page}&per_page=50`,
    );
    items.push(...(body[key] ?? []));
    if (!(body.meta?.pagination?.next_page ?? body.links?.pages?.next)) return items;
  }
  throw new CloudError(`${provider}'s API gives more than ${maxPages} pages of ${path.replace(/\?.*/, "")}`);
}

function parseAnswer(api: Api, method: string, path: string, answer: Answer | Error): unknown {
  const { provider, at } = api;
  const isNone = `what answers at ${at} is not ${provider}'s API`;
  if (answer instanceof Error && isTooLarge(answer)) throw new CloudError(`${isNone}: ${answer.message}`);
  if (answer instanceof Error)
    throw new CloudError(
      `${provider}'s API cannot be reached at ${at}: ${answer.message}\n  Run the same command again when it can be.`,
    );
  let body: unknown;
  try {
    body = JSON.parse(answer.text);
  } catch {}
  if (answer.status >= 300) throw createRefusal(api, answer.status, `${method} ${path.replace(/\?.*/, "")}`, body);
  if (body === undefined && method === "GET") throw new CloudError(`${isNone}: no JSON came from ${path}`);
  return body;
}

function createRefusal({ provider, token }: Api, status: number, asked: string, body: unknown): CloudError {
  type Words = { code?: string; id?: string; message?: string };
  const { code, id, message } = { ...(body as Words), ...(body as { error?: Words } | undefined)?.error };
  const words = [code ?? id, message].filter(Boolean).join(": ").replaceAll(token, "[token]");
  const said = `${provider} answered ${status} (${printable(words) || "no reason given"})`;
  const need = needed[status];
  if (need) return new CloudError(`pillar-host:host.token: ${said}\n  needed: ${need}`, status);
  const later = `${said}, several times\n  Run the same command again when ${provider}'s API works.`;
  return new CloudError(status >= 500 ? later : `${said} to ${asked}`, status);
}

/** Returns how long a 429 asks to wait: Retry-After, else until RateLimit-Reset, else a while. */
export function readRetryDelayMs(headers: Headers, now: number): number {
  const secondsOf = (name: string) => Number(headers.get(name) ?? Number.NaN);
  const [after, reset] = [secondsOf("retry-after") * 1000, secondsOf("ratelimit-reset") * 1000 - now];
  return Math.max([after, reset].find(Number.isFinite) ?? 5000, 1000);
}
