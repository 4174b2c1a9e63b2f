import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { isIP } from "node:net";
import { gzipSync } from "node:zlib";
import type { NodeSettings } from "../chain/settings.ts";

/** A method of the node's RPC. It requires as many arguments as the function has parameters. */
export type Method = (...params: never[]) => unknown;

export type Methods = Readonly<Record<string, Method>>;

/** Error in an RPC answer. The HTTP status stays 200. */
export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** Answers a body with one call. The real node also takes batches and notifications, which nobody here sends. */
export async function answerBody(body: string, methods: Methods): Promise<string> {
  const { id, method, params } = JSON.parse(body) as { id: number; method: string; params: never[] };
  const answer = await answerCall(methods, method, params).then(
    (result) => ({ jsonrpc: "2.0", id, result }),
    (error: unknown) => {
      const { code, message } = error instanceof RpcError ? error : new RpcError(-32000, String(error));
      return { jsonrpc: "2.0", id, error: { code, message } };
    },
  );
  return `${JSON.stringify(answer)}\n`;
}

async function answerCall(methods: Methods, method: string, params: never[]): Promise<unknown> {
  const called = methods[method];
  if (called === undefined) throw new RpcError(-32601, `the method ${method} does not exist/is not available`);
  if (params.length < called.length) throw new RpcError(-32602, `missing value for required argument ${params.length}`);
  return called(...params);
}

const contentTypes = ["application/json", "application/json-rpc", "application/jsonrequest"];

/** The parts of the node that its HTTP server needs. */
interface RpcBackend {
  settings(): NodeSettings;
  answer(body: string): Promise<string>;
}

/** Creates the node's RPC server, with the HTTP behavior of the real node. */
export function createRpcServer(backend: RpcBackend): Server {
  return createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
    serve(backend, request, response).catch(() => response.destroy());
  });
}

async function serve(backend: RpcBackend, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // A frozen process holds its connections open without an answer. After it wakes up, it answers the waiting requests.
  while (backend.settings().freeze && !response.destroyed) await pause(50);
  const settings = backend.settings();
  if (settings.slowMs > 0) await pause(settings.slowMs);
  if (settings.rawAnswer !== null) {
    return reply(request, response, { ...settings.rawAnswer, contentType: "text/plain; charset=utf-8" });
  }
  const url = new URL(request.url ?? "/", "http://node");
  if (url.pathname !== "/") {
    response.writeHead(404, { "content-length": 0 }).end();
    return;
  }
  const refused = refusal(request);
  if (refused !== undefined) return reply(request, response, refused);
  const body = await backend.answer(Buffer.concat(await request.toArray()).toString("utf8"));
  if (!settings.cutAnswer) return reply(request, response, { status: 200, body, contentType: "application/json" });
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  response.write(body.slice(0, Math.floor(body.length / 2)), () => response.destroy());
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

interface Reply {
  status: number;
  body: string;
  contentType: string;
}

function refusal(request: IncomingMessage): Reply | undefined {
  const contentType = "text/plain; charset=utf-8";
  const plain = (status: number, text: string): Reply => ({ status, body: `${text}\n`, contentType });
  if (!isAddress(request.headers.host ?? "")) return plain(403, "invalid host specified");
  const type = (request.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  return contentTypes.includes(type)
    ? undefined
    : plain(415, "invalid content type, only application/json is supported");
}

function isAddress(host: string): boolean {
  if (host === "") return true;
  const name = host.startsWith("[") ? host.slice(1, host.indexOf("]")) : host.replace(/:\d*$/, "");
  return isIP(name) !== 0 || isIP(host) !== 0;
}

function reply(request: IncomingMessage, response: ServerResponse, answer: Reply): void {
  response.setHeader("content-type", answer.contentType);
  if (answer.status >= 400) response.setHeader("x-content-type-options", "nosniff");
  let body = Buffer.from(answer.body);
  if (String(request.headers["accept-encoding"] ?? "").includes("gzip")) {
    response.setHeader("content-encoding", "gzip");
    body = gzipSync(body);
  }
  response.writeHead(answer.status, { "content-length": body.length }).end(body);
}
