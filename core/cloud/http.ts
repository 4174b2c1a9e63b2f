import { systemClock } from "../util/clock.ts";
import { parseJson } from "../util/parseJson.ts";
import { printable } from "../util/printable.ts";
import { hasKind, ignoreStatuses, type Problem, ProblemError } from "../util/problem.ts";
import { type Answer, sendRequest } from "../util/sendRequest.ts";

interface ApiOptions {
  readonly provider: string;
  readonly endpoint: string;
  readonly token: string;
  readonly sleep?: (milliseconds: number) => Promise<unknown>;
}

export type CloudAccess = Omit<ApiOptions, "provider" | "endpoint"> & { readonly endpoint?: string | undefined };

/** Creates an error of a cloud's API; never contains the token. */
const cloudError = (problem: Problem) => new ProblemError({ kind: "cloud", ...problem });

const requestTimeoutMs = 30_000;
const maxAttempts = 4;
const maxGonePolls = 60;
const gonePollMs = 2000;
/** A limit: more pages than any account's lists have. */
const maxPages = 100;

const needed: Readonly<Record<number, string>> = {
  401: "set an API token that is valid, with read and write permission",
  403: "set an API token with read and write permission",
  429: "run the same command again later, or use a token that nothing else uses",
};

type Body = Readonly<Record<string, unknown>>;
type Page = { meta?: { pagination?: { next_page: unknown } }; links?: { pages?: { next?: unknown } } };

/** Creates a client of a cloud's API. Every method @throws ProblemError `cloud` */
export function createHttp({ sleep = systemClock.sleep, ...options }: ApiOptions) {
  const { provider } = options;
  const request = createRequest({ ...options, sleep });
  const read = (path: string) => request<Body>("GET", path);
  /** Returns what an answer has under a key. An answer without it comes from another service, so it never means "nothing". */
  const take = <T>(body: Body, key: string, path: string, isList = false): T => {
    const found = body?.[key];
    if (typeof found === "object" && found !== null && Array.isArray(found) === isList) return found as T;
    throw cloudError({
      what: `what answers is not ${provider}'s API: no ${key} came to GET ${path.replace(/\?.*/, "")}`,
      found: printable((JSON.stringify(body) ?? "").replaceAll(options.token, "[token]")).slice(0, 200),
    });
  };
  const get = async <T>(path: string, key: string): Promise<T> => take(await read(path), key, path);
  const remove = (path: string) => request<void>("DELETE", path);
  const find = <T>(path: string, key: string) => get<T>(path, key).catch(ignoreStatuses(404));
  return {
    get,
    find,
    remove,
    put: (path: string, body: object) => request<void>("PUT", path, body),
    /** Sends an action that may be repeated. */
    post: (path: string, body: object) => request<void>("POST", path, body),
    list: async <T>(path: string, key: string): Promise<T[]> => {
      const items: T[] = [];
      for (let page = 1; page <= maxPages; page += 1) {
        const query = `${path.includes("?") ? "&" : "?"}page=${page}&per_page=50`;
        const body: Body & Page = await read(`${path}${query}`);
        if (body?.[key] !== null) items.push(...take<T[]>(body, key, path, true));
        if (!(body.meta?.pagination?.next_page ?? body.links?.pages?.next)) return items;
      }
      throw cloudError({ what: `${provider}'s API gives more than ${maxPages} pages of ${path.replace(/\?.*/, "")}` });
    },
    /** Removes a resource, and waits until it is gone. */
    removeWhole: async (path: string) => {
      await remove(path).catch(ignoreStatuses(404));
      const readIfThere = () => read(path).catch(ignoreStatuses(404));
      for (let left = maxGonePolls; await readIfThere(); left -= 1) {
        const what = `${provider} did not remove ${path} within ${(maxGonePolls * gonePollMs) / 1000} s`;
        if (left === 0) throw cloudError({ what });
        await sleep(gonePollMs);
      }
    },
  };
}

/** Creates the function that sends requests. It repeats GET and POST if the API fails, or limits their rate. */
function createRequest(api: ApiOptions & { readonly sleep: (milliseconds: number) => Promise<unknown> }) {
  const { endpoint, token, sleep } = api;
  return async <T>(method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: object): Promise<T> => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const maxFailures = method === "GET" || method === "POST" ? maxAttempts : 1;
    for (let failures = 1; ; failures += 1) {
      const answer = await sendRequest(`${endpoint}${path}`, init, requestTimeoutMs).catch((error: Error) => error);
      const isTemporary =
        answer instanceof Error ? !hasKind(answer, "tooLarge") : answer.status >= 500 || answer.status === 429;
      if (!isTemporary || failures >= maxFailures) return parseAnswer(api, `${method} ${path}`, answer) as T;
      await sleep(1000 * 2 ** failures);
    }
  };
}

function parseAnswer(api: ApiOptions, asked: string, answer: Answer | Error): unknown {
  const { provider } = api;
  // Cuts the user and password that the endpoint may contain.
  const at = api.endpoint.replace(/\/\/.*@/, "//");
  if (answer instanceof Error)
    throw cloudError({
      what: `${provider}'s API can't be used at ${at}: ${answer.message}`,
      next: hasKind(answer, "unreached") && `Run the same command again once this gets an answer: curl -sSI ${at}`,
    });
  const body = parseJson(answer.text);
  if (answer.status >= 300) throw createRefusal(api, answer.status, asked.replace(/\?.*/, ""), body);
  if (body === undefined && asked.startsWith("GET "))
    throw cloudError({
      what: `what answers at ${at} is not ${provider}'s API: no JSON came to ${asked.replace(/\?.*/, "")}`,
    });
  return body;
}

function createRefusal({ provider, token }: ApiOptions, status: number, asked: string, body: unknown): ProblemError {
  type Words = { code?: string; id?: string; message?: string };
  const { code, id, message } = { ...(body as Words), ...(body as { error?: Words } | undefined)?.error };
  const words = [code ?? id, message].filter(Boolean).join(": ").replaceAll(token, "[token]");
  const said = `${provider} answered ${status} (${printable(words) || "no reason given"})`;
  // An account's limit is a 403, too.
  if (status in needed && (status !== 403 || /forbidden|token/i.test(code ?? id ?? "")))
    return cloudError({ what: `pillar-host:host.token: ${said}`, needed: needed[status], status });
  const next = status >= 500 && `Run the same command again when ${provider}'s API works.`;
  return cloudError({ what: `${said} to ${asked}`, next, status });
}
