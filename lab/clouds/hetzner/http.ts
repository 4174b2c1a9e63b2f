import type { IncomingMessage, ServerResponse } from "node:http";
import { ApiError, usualError } from "./apiError";

/** The parts of a request that routes use. */
export interface ApiRequest {
  readonly method: string;
  /** Path below /v1 or /_lab. */
  readonly path: string;
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
  pattern: string,
  handle: (request: ApiRequest) => Answer | Promise<Answer>,
];

export const ok = (body: unknown): Answer => ({ status: 200, body });
export const created = (body: unknown): Answer => ({ status: 201, body });
export const noContent: Answer = { status: 204 };

/**
 * Returns the parameters of a path such as /servers/7 for a pattern such as /servers/:id, or undefined if they do not
 * match.
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

/** Finds the route of a request and returns its answer. */
export async function dispatch(routes: readonly Route[], request: Omit<ApiRequest, "params">): Promise<Answer> {
  for (const [method, pattern, handle] of routes) {
    const params = method === request.method ? match(pattern, request.path) : undefined;
    if (params) return handle({ ...request, params });
  }
  throw new ApiError(404, "not_found", "the requested resource was not found");
}

export async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString("utf8");
  try {
    return text === "" ? {} : (JSON.parse(text) as unknown);
  } catch {
    throw usualError(400);
  }
}

export function send(response: ServerResponse, answer: Answer, headers: Readonly<Record<string, string>>): void {
  if (answer.body === undefined) return void response.writeHead(answer.status, headers).end();
  const body = JSON.stringify(answer.body);
  const own = { "content-type": "application/json; charset=utf-8", "content-length": String(Buffer.byteLength(body)) };
  response.writeHead(answer.status, { ...headers, ...own }).end(body);
}
