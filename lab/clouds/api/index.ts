import { createHash } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { z } from "zod";
import { type Faults, faultSchema } from "./faults";
import { type Answer, ApiError, type ApiRequest, created, dispatch, ok, type Route, readJson, send } from "./http";

/** The parts of a cloud that its API needs. */
interface Api {
  /** Such as /v1. */
  readonly version: string;
  /** `read` tokens cannot change anything. */
  readonly tokens: Readonly<Record<string, "write" | "read">>;
  readonly faults: Faults;
  readonly routes: readonly Route[];
  /** Lists the servers with facts that the API does not show. */
  readonly servers: () => readonly object[];
  /** Does a request's work, with what the provider does before and after each. */
  readonly work: <T>(handle: () => Promise<T>) => Promise<T>;
  /** Returns the error that usually has a status. */
  readonly usualError: (status: number, message?: string) => ApiError;
  readonly invalidInput: (error: z.ZodError) => ApiError;
  /** Formats an error in the API's form. */
  readonly errorBody: (error: ApiError) => object;
}

/** A request to the API, as tests see it: without its token and body. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  /** 0 if the connection was cut. */
  readonly status: number;
}

interface ServedApi {
  readonly handler: RequestListener;
  /** All requests to the API, oldest first. */
  readonly requests: readonly SeenRequest[];
}

const control = "/_lab";

/** Creates the request listener of a cloud, with the routes below /_lab, by which tests control it. */
export function createApi(api: Api): ServedApi {
  const requests: SeenRequest[] = [];
  const controls = controlRoutes(api, requests);

  const answer = async (request: Omit<ApiRequest, "params">, authorization = ""): Promise<Answer> => {
    authorize(api, request.method, authorization);
    const fault = api.faults.strike("answer", request);
    if (fault) throw api.usualError(fault.status, fault.message);
    const found = await api.work(() => dispatch(api.routes, request));
    if (!found) throw api.usualError(404);
    return found;
  };

  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, search, searchParams: query } = new URL(incoming.url ?? "/", "http://cloud");
    const method = incoming.method ?? "GET";
    const isControl = pathname.startsWith(`${control}/`);
    const path = pathname.replace(isControl ? control : api.version, "");
    const asked = async () => {
      const request = { method, path, query, body: await readJson(incoming) };
      if (!isControl) return answer(request, incoming.headers.authorization);
      return (await dispatch(controls, request)) ?? { status: 404 };
    };
    const result = await asked().catch((error: unknown) => formatRefusal(api, error));
    if (isControl) return send(response, result);
    const isCut = api.faults.strike("cutAnswer", { method, path }) !== undefined;
    requests.push({ method, path: pathname + search, status: isCut ? 0 : result.status });
    if (isCut) return void incoming.socket.destroy();
    const id = createHash("sha1").update(String(requests.length)).digest("hex").slice(0, 16);
    send(response, result, { "x-correlation-id": id, "x-request-id": id });
  };
  const handler: RequestListener = (incoming, response) => {
    serve(incoming, response).catch(() => response.destroy());
  };
  return { handler, requests };
}

function authorize({ tokens, usualError }: Api, method: string, authorization: string): void {
  const token = /^Bearer (\S+)$/.exec(authorization)?.[1] ?? "";
  const rights = Object.hasOwn(tokens, token) ? tokens[token] : undefined;
  if (!rights) throw usualError(401);
  if (rights === "read" && method !== "GET") throw usualError(403);
}

function formatRefusal(api: Api, error: unknown): Answer {
  const known = error instanceof z.ZodError ? api.invalidInput(error) : error;
  const found = known instanceof ApiError ? known : new ApiError(500, "server_error", String(known));
  return { status: found.status, body: api.errorBody(found) };
}

function controlRoutes({ faults, servers }: Api, requests: readonly SeenRequest[]): Route[] {
  return [
    ["GET", "/requests", () => ok(requests)],
    ["GET", "/servers", () => ok(servers())],
    ["POST", "/faults", ({ body }) => created({ id: faults.add(faultSchema.parse(body)) })],
  ];
}
