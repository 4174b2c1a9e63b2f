import { setTimeout as pause } from "node:timers/promises";
import { type Answer, ask } from "../util/ask";
import { isTooLarge } from "../util/boundedText";
import { printable } from "../util/printable";

export interface ApiOptions {
  readonly provider: string;
  /** Without a slash at its end. */
  readonly endpoint: string;
  readonly token: string;
  readonly wordsOf: (body: unknown) => { code: string; message: string };
  readonly sleep?: (milliseconds: number) => Promise<unknown>;
  readonly say?: (line: string) => void;
}

/** A refusal by a cloud's API, in words for the operator; never with the token. */
export class CloudError extends Error {
  constructor(
    message: string,
    /** 0 where nothing answered. */
    readonly status: number,
    readonly code = "",
  ) {
    super(message);
  }
}

export interface CloudHttp {
  readonly get: <T>(path: string) => Promise<T>;
  readonly put: (path: string, body: object) => Promise<void>;
  readonly remove: (path: string) => Promise<void>;
  /** Removes a thing that takes its time to go, and waits until it is gone. @throws CloudError */
  readonly removeWhole: (path: string) => Promise<void>;
}

const requestLimit = 30_000;
const readTries = 4;
const goneTries = 60;
const gonePause = 2000;
const patience = 10 * 60_000;
/** No list of an account has more; one without an end is none of a provider's. */
export const mostPages = 100;

/** Waits as told where requests are limited, and asks again where the API is out of order. */
export function createHttp(options: ApiOptions): CloudHttp {
  const { provider, endpoint, token, sleep = pause, say = () => undefined } = options;
  const at = endpoint.replace(/\/\/.*@/, "//");
  let waited = 0;

  const once = (method: string, path: string, body: object | undefined) =>
    ask(
      `${endpoint}${path}`,
      {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          accept: "application/json",
          ...(body && { "content-type": "application/json" }),
        },
        ...(body && { body: JSON.stringify(body) }),
      },
      requestLimit,
    );

  /** The pause that a rate limit asks for. @throws where that is beyond all patience */
  const waitAsTold = async (response: Answer) => {
    const milliseconds = pauseOf(response.headers, Date.now());
    waited += milliseconds;
    if (waited > patience)
      throw new CloudError(
        `${provider} limits the requests of this token, for ${Math.ceil(milliseconds / 60_000)} more minutes\n` +
          "  needed: patience, or a token that nothing else uses. Run the same command again later.",
        429,
      );
    say(`${provider} limits the requests of this token: waiting ${Math.ceil(milliseconds / 1000)} s as told`);
    await sleep(milliseconds);
  };

  const request = async <T>(method: string, path: string, content?: object): Promise<T> => {
    const tries = method === "GET" ? readTries : 1;
    for (let attempt = 1; ; attempt += 1) {
      let response: Answer;
      try {
        response = await once(method, path, content);
      } catch (error) {
        if (isTooLarge(error))
          throw new CloudError(`what answers at ${at} is not ${provider}'s API: ${error.message}`, 0);
        if (attempt < tries) {
          await sleep(1000 * 2 ** attempt);
          continue;
        }
        throw new CloudError(
          `${provider}'s API cannot be reached at ${at}: ${(error as Error).message}\n  Run the same command again when it can be.`,
          0,
        );
      }
      if (response.status === 429) {
        attempt -= 1;
        await waitAsTold(response);
        continue;
      }
      if (response.status >= 500 && attempt < tries) {
        await sleep(1000 * 2 ** attempt);
        continue;
      }
      const body = parsed(response.text);
      if (response.status >= 300) throw refusal(options, method, path, response.status, body);
      if (body === undefined && method === "GET")
        throw new CloudError(`what answers at ${at} is not ${provider}'s API: no JSON came from ${path}`, 0);
      return body as T;
    }
  };

  const remove = (path: string) => request<void>("DELETE", path);
  const isGone = (path: string) =>
    request("GET", path).then(
      () => false,
      (error: CloudError) => {
        if (error.status !== 404) throw error;
        return true;
      },
    );
  const removeWhole = async (path: string) => {
    if (await isGone(path)) return;
    await remove(path);
    for (let left = goneTries; !(await isGone(path)); left -= 1) {
      if (left === 0)
        throw new CloudError(`${provider} did not remove ${path} within ${(goneTries * gonePause) / 1000} s`, 0);
      await sleep(gonePause);
    }
  };
  return {
    get: (path) => request("GET", path),
    put: (path, body) => request<void>("PUT", path, body),
    remove,
    removeWhole,
  };
}

export function endless(provider: string, path: string): CloudError {
  return new CloudError(`${provider}'s API gives more than ${mostPages} pages of ${path.replace(/\?.*/, "")}`, 0);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** How long a 429 asks to wait (pure): Retry-After, else until RateLimit-Reset, else a while. */
export function pauseOf(headers: Headers, now: number): number {
  const after = Number(headers.get("retry-after") ?? Number.NaN);
  const reset = Number(headers.get("ratelimit-reset") ?? Number.NaN);
  const milliseconds = Number.isFinite(after) ? after * 1000 : Number.isFinite(reset) ? reset * 1000 - now : 5000;
  return Math.max(milliseconds, 1000);
}

function refusal(
  { provider, token, wordsOf }: ApiOptions,
  method: string,
  path: string,
  status: number,
  body: unknown,
) {
  const { code, message } = wordsOf(body);
  const said = printable([code, message].filter(Boolean).join(": ").replaceAll(token, "[token]")) || "no reason given";
  const answer = `${provider} answered ${status} (${said})`;
  if (status === 401)
    return new CloudError(
      `pillar-host:host.token: ${answer}\n  needed: an API token that is valid, with read and write permission`,
      status,
      code,
    );
  if (status === 403)
    return new CloudError(
      `pillar-host:host.token: ${answer}\n  needed: an API token with read and write permission`,
      status,
      code,
    );
  if (status >= 500)
    return new CloudError(
      `${answer}, several times\n  Run the same command again when ${provider}'s API works.`,
      status,
      code,
    );
  return new CloudError(`${answer} to ${method} ${path.replace(/\?.*/, "")}`, status, code);
}
