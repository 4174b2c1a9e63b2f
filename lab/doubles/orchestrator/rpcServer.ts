import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { OrchestratorSettings } from "../chain/orchestrators";
import { isNewer } from "./build";
import { RateLimit } from "./rateLimit";

/** What the HTTP side needs of the orchestrator. */
export interface RpcBackend {
  settings(): OrchestratorSettings;
  version(): string;
  /** Undefined for a method that there is none of. */
  call(method: string): Promise<unknown> | undefined;
}

/** The orchestrator's RPC manners: {method, params} in, {result, error} out, two requests a second. */
export function createRpcServer(backend: RpcBackend): Server {
  const limit = new RateLimit(2);
  return createServer((request, response) => {
    serve(backend, limit, request, response).catch(() => response.destroy());
  });
}

async function serve(backend: RpcBackend, limit: RateLimit, request: IncomingMessage, response: ServerResponse) {
  while (backend.settings().freeze && !response.destroyed) await new Promise((resolve) => setTimeout(resolve, 50));
  const { rawAnswer, rpcError } = backend.settings();
  if (rawAnswer !== null) return send(response, rawAnswer.status, rawAnswer.body, rawAnswer.contentType);
  if (!limit.allows(Date.now())) return refuse(response, 429, "rate limit exceeded");
  if (isNewer(backend.version())) {
    if (request.method !== "POST") return refuse(response, 405, "method not allowed");
    const type = (request.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase();
    if (type !== "application/json") return refuse(response, 415, "unsupported content type");
  }
  const method = methodOf(Buffer.concat(await request.toArray()).toString("utf8"));
  if (method === undefined) return refuse(response, 400, "bad request");
  const result = backend.call(method);
  if (result === undefined) return refuse(response, 404, "method not found");
  if (rpcError !== null) return send(response, 200, JSON.stringify({ result: null, error: rpcError }));
  send(response, 200, JSON.stringify({ result: await result, error: "" }));
}

function methodOf(body: string): string | undefined {
  try {
    const { method, params } = JSON.parse(body) as { method?: unknown; params?: unknown };
    return typeof method === "string" && (params === undefined || Array.isArray(params)) ? method : undefined;
  } catch {
    return undefined;
  }
}

function refuse(response: ServerResponse, status: number, error: string): void {
  send(response, status, JSON.stringify({ result: null, error }));
}

function send(response: ServerResponse, status: number, body: string, contentType = "application/json"): void {
  const text = Buffer.from(`${body}\n`);
  response.writeHead(status, { "content-type": contentType, "content-length": text.length }).end(text);
}
