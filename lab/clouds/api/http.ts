import type { IncomingMessage, ServerResponse } from "node:http";

/** The parts of a request that routes use. */
export interface ApiRequest {
  readonly method: string;
  /** Path below the API's version or /_lab. */
  readonly path: string;
  /** Named parts of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

/** Answer of a route. Status 204 has no body. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

export type Route = readonly [
  method: string,
  /** Path such as /servers/:id. */
  pattern: string,
  handle: (request: ApiRequest) => Answer | Promise<Answer>,
];

/** An error in the API's words. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: unknown = null,
  ) {
    super(message);
  }
}

export const ok = (body: unknown): Answer => ({ status: 200, body });
export const created = (body: unknown): Answer => ({ status: 201, body });
export const noContent: Answer = { status: 204 };

/**
 * Returns the parameters of a path such as /servers/7 for a pattern such as /servers/:id or /servers/*, or undefined if
 * they do not match.
 */
export function match(pattern: string, path: string): Record<string, string> | undefined {
  const [wanted, given] = [pattern.split("/"), path.split("/")];
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? "";
    if (part.startsWith(":")) params[part.slice(1)] = decodeURIComponent(value);
    else if (part !== value && part !== "*") return undefined;
  }
  return params;
}

/** Finds the route of a request and returns its answer, or undefined if there is none. */
export async function dispatch(
  routes: readonly Route[],
  request: Omit<ApiRequest, "params">,
): Promise<Answer | undefined> {
  for (const [method, pattern, handle] of routes) {
    const params = method === request.method ? match(pattern, request.path) : undefined;
    if (params) return handle({ ...request, params });
  }
  return undefined;
}

/** Reads the request's JSON. A missing body counts as {}. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const text = Buffer.concat(await request.toArray()).toString("utf8");
  return text === "" ? {} : (JSON.parse(text) as unknown);
}

export function send(response: ServerResponse, { status, body }: Answer, headers: Record<string, string> = {}): void {
  if (body === undefined) return void response.writeHead(status, headers).end();
  const text = JSON.stringify(body);
  const own = { "content-type": "application/json; charset=utf-8", "content-length": String(Buffer.byteLength(text)) };
  response.writeHead(status, { ...own, ...headers }).end(text);
}
