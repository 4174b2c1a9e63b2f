import { createHash } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { type Faults, faultSchema, match } from "./faults.ts";

/** The parts of a request that routes use. */
interface ApiRequest {
  /** Named parts of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

/** Answer of a route. Status 204 has no body. */
interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

export type Route = (request: ApiRequest) => Answer | Promise<Answer>;

/** Routes by method and path, such as `GET /servers/:id`. The first that matches answers. */
export type Routes = Readonly<Record<string, Route>>;

/** An error of the API. Without code or message, it has the usual ones of its status. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code?: string,
    message?: string,
  ) {
    super(message);
  }
}

export const ok = (body: unknown): Answer => ({ status: 200, body });
export const created = (body: unknown): Answer => ({ status: 201, body });
export const noContent: Answer = { status: 204 };

interface Account {
  readonly faults: Faults;
  readonly servers: ReadonlyMap<number, object>;
  /** Does a request's work, with what the provider does before and after each. */
  work<T>(handle: () => Promise<T>): Promise<T>;
}

interface Api<A extends Account> {
  /** Such as /v1. */
  readonly version: string;
  /** `read` tokens cannot change anything. */
  readonly tokens: Readonly<Record<string, "write" | "read">>;
  readonly account: A;
  readonly routes: Routes;
  /** Code and message of the error that usually has a status. */
  readonly usualErrors: Readonly<Record<number, readonly [code: string, message: string]>>;
  /** Returns an error in the API's form. */
  readonly errorBody: (code: string, message: string) => object;
}

/** A request to the API, as tests see it: without its token and body. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  /** 0 if the connection was cut. */
  readonly status: number;
}

const control = "/_lab";

/** Creates a cloud's double: its request listener, with the routes below /_lab, by which tests control it. */
export function createApi<A extends Account>(api: Api<A>) {
  /** All requests to the API, oldest first. */
  const requests: SeenRequest[] = [];
  const { account } = api;
  const controls: Routes = {
    "GET /requests": () => ok(requests),
    "GET /servers": () => ok([...account.servers.values()]),
    "POST /faults": ({ body }) => created({ id: account.faults.add(faultSchema.parse(body)) }),
  };
  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, search, searchParams: query } = new URL(incoming.url ?? "/", "http://cloud");
    const { method = "GET", headers } = incoming;
    const text = Buffer.concat(await incoming.toArray()).toString("utf8");
    const request = { query, body: text === "" ? {} : JSON.parse(text) };
    if (pathname.startsWith(`${control}/`))
      return send(response, await dispatch(controls, method, pathname.slice(control.length), request));
    const path = pathname.replace(api.version, "");
    const asked = async () => {
      authorize(api, method, headers.authorization);
      const fault = account.faults.strike("answer", { method, path });
      if (fault) throw new ApiError(fault.status, undefined, fault.message);
      return account.work(() => dispatch(api.routes, method, path, request));
    };
    const answer = await asked().catch((error: Error) => formatError(api, error));
    const isCut = account.faults.strike("cutAnswer", { method, path }) !== undefined;
    requests.push({ method, path: pathname + search, status: isCut ? 0 : answer.status });
    if (isCut) return void incoming.socket.destroy();
    send(response, answer, createHash("sha1").update(String(requests.length)).digest("hex").slice(0, 16));
  };
  const handler: RequestListener = (incoming, response) => {
    serve(incoming, response).catch(() => response.destroy());
  };
  return { handler, requests, account };
}

/** Finds the route of a request and returns its answer. */
async function dispatch(
  routes: Routes,
  wanted: string,
  path: string,
  request: Omit<ApiRequest, "params">,
): Promise<Answer> {
  for (const [name, handle] of Object.entries(routes)) {
    const [method, pattern = ""] = name.split(" ");
    const params = method === wanted ? match(pattern, path) : undefined;
    if (params) return handle({ ...request, params });
  }
  throw notFound();
}

export const notFound = (): ApiError => new ApiError(404);

function formatError({ usualErrors, errorBody }: Omit<Api<Account>, "account">, error: Error): Answer {
  const { status, code, message } = error instanceof ApiError ? error : new ApiError(500, undefined, error.message);
  const [usualCode, usualMessage] = usualErrors[status] ?? ["server_error", "Server Error"];
  return { status, body: errorBody(code ?? usualCode, message || usualMessage) };
}

function authorize({ tokens }: Pick<Api<Account>, "tokens">, method: string, authorization = ""): void {
  const token = /^Bearer (\S+)$/.exec(authorization)?.[1] ?? "";
  const rights = Object.hasOwn(tokens, token) ? tokens[token] : undefined;
  if (!rights) throw new ApiError(401);
  if (rights === "read" && method !== "GET") throw new ApiError(403);
}

function send(response: ServerResponse, { status, body }: Answer, id = ""): void {
  const headers = { "x-correlation-id": id, "x-request-id": id };
  if (body === undefined) return void response.writeHead(status, headers).end();
  response
    .writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers })
    .end(JSON.stringify(body));
}
