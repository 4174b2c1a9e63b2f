import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import type { Cloud } from "./cloud";

export interface ApiRequest {
  readonly method: string;
  /** Named parts of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
  /** URL of the API without a path, for links. */
  readonly base: string;
  readonly path: string;
}

/** Answer of a route. Status 204 has no body. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

export interface Route {
  readonly method: string;
  /** Pattern such as `/v2/droplets/:id`. */
  readonly path: string;
  readonly answer: (cloud: Cloud, request: ApiRequest) => Answer | Promise<Answer>;
}

/** An error in the API's form: `{id, message, request_id}`. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }

  get id(): string {
    return errorIds[this.status] ?? "server_error";
  }
}

const errorIds: Record<number, string> = {
  400: "bad_request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "not_found",
  409: "conflict",
  412: "precondition_failed",
  422: "unprocessable_entity",
  429: "too_many_requests",
};

export const notFound = (): ApiError => new ApiError(404, "The resource you were accessing could not be found.");
export const unprocessable = (message: string): ApiError => new ApiError(422, message);

/** Returns the body as the route's type. Answers an invalid body with an error. */
export function bodyAs<T>(schema: z.ZodType<T>, request: ApiRequest): T {
  const parsed = schema.safeParse(request.body);
  if (parsed.success) return parsed.data;
  throw unprocessable(z.prettifyError(parsed.error).replaceAll("\n", " "));
}

const PER_PAGE = 20;
const MOST_PER_PAGE = 200;

/** Returns one page of a list, with `links.pages` and `meta.total`. */
export function page(request: ApiRequest, key: string, items: readonly unknown[]): Answer {
  const number = (name: string, fallback: number) =>
    Math.max(1, Number(request.query.get(name) ?? fallback) || fallback);
  const perPage = Math.min(MOST_PER_PAGE, number("per_page", PER_PAGE));
  const current = number("page", 1);
  const last = Math.max(1, Math.ceil(items.length / perPage));
  const link = (to: number): string => {
    const query = new URLSearchParams(request.query);
    query.set("page", String(to));
    return `${request.base}${request.path}?${query}`;
  };
  const pages = {
    ...(current > 1 ? { first: link(1), prev: link(current - 1) } : {}),
    ...(current < last ? { next: link(current + 1), last: link(last) } : {}),
  };
  const links = Object.keys(pages).length > 0 ? { pages } : {};
  const shown = items.slice((current - 1) * perPage, current * perPage);
  return { status: 200, body: { [key]: shown, links, meta: { total: items.length } } };
}

/** Returns the route of a request, with the named parts of its path. */
export function match(
  routes: readonly Route[],
  method: string,
  path: string,
): { route: Route; params: Record<string, string> } | undefined {
  const given = path.split("/");
  for (const route of routes) {
    const wanted = route.path.split("/");
    if (route.method !== method || wanted.length !== given.length) continue;
    const named = wanted.map((part, at) => [part, given[at] ?? ""] as const);
    if (named.some(([part, found]) => (part.startsWith(":") ? found === "" : part !== found))) continue;
    const params = named
      .filter(([part]) => part.startsWith(":"))
      .map(([part, found]) => [part.slice(1), decode(found)]);
    return { route, params: Object.fromEntries(params) };
  }
  return undefined;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Reads the request's JSON. A missing body counts as {}. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  if (text === "") return {};
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ApiError(400, "Unable to parse the request body as JSON.");
  }
}

export function send(response: ServerResponse, { status, body }: Answer, headers: Record<string, string> = {}): void {
  if (body === undefined) return void response.writeHead(status, headers).end();
  const text = JSON.stringify(body);
  const own = { "content-type": "application/json; charset=utf-8", "content-length": String(Buffer.byteLength(text)) };
  response.writeHead(status, { ...own, ...headers }).end(text);
}
