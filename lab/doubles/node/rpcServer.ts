import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { isIP } from "node:net";
import { gzipSync } from "node:zlib";
import { addressForm } from "../address.ts";
import type { NodeSettings } from "../chain/settings.ts";

/** Types of Go into which the real node reads an argument. */
type GoType = "string" | "uint64" | "uint32" | "int64" | "address";

/** A method of the node's RPC, with the types of its arguments, all of which it requires. */
interface Method {
  readonly types: readonly GoType[];
  readonly call: (...params: never[]) => unknown;
}

export const method = (types: readonly GoType[], call: Method["call"]): Method => ({ types, call });

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

/** Answers a body with one call or a batch. The real node also takes notifications, which nobody here sends. */
export async function answerBody(body: string, methods: Methods): Promise<string> {
  if (body === "") return "";
  const asked = parseBody(body);
  const answered = isBatch(asked)
    ? await Promise.all(asked.map((call) => answerOne(call, methods)))
    : await answerOne(asked, methods);
  const isEmpty = isBatch(asked) && asked.length === 0;
  return `${JSON.stringify(isEmpty ? failed(null, new RpcError(-32600, "empty batch")) : answered)}\n`;
}

const isBatch = (asked: object): asked is readonly Call[] => Array.isArray(asked);
const failed = (id: number | null, { code, message }: RpcError) => ({ jsonrpc: "2.0", id, error: { code, message } });

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params?: readonly unknown[];
}

function parseBody(body: string): Call | RpcError | readonly Call[] {
  try {
    return JSON.parse(body);
  } catch {
    return new RpcError(-32700, "parse error");
  }
}

async function answerOne(asked: Call | RpcError, methods: Methods): Promise<object> {
  if (asked instanceof RpcError) return failed(null, asked);
  if (typeof asked?.method !== "string") return failed(null, new RpcError(-32600, "invalid request"));
  const { id, method, params = [] } = asked;
  return answerCall(methods, method, params).then(
    (result) => ({ jsonrpc: "2.0", id, result }),
    (error: unknown) => failed(id, error instanceof RpcError ? error : new RpcError(-32000, String(error))),
  );
}

async function answerCall(methods: Methods, name: string, params: readonly unknown[]): Promise<unknown> {
  const { types, call } = methods[name] ?? {};
  if (types === undefined || call === undefined)
    throw new RpcError(-32601, `the method ${name} does not exist/is not available`);
  if (params.length > types.length) throw new RpcError(-32602, `too many arguments, want at most ${types.length}`);
  for (const [at, value] of params.entries()) {
    const problem = checkArgument(value, types[at] ?? "string");
    if (problem !== undefined) throw new RpcError(-32602, `invalid argument ${at}: ${problem}`);
  }
  if (params.length < types.length) throw new RpcError(-32602, `missing value for required argument ${params.length}`);
  return call(...(params as never[]));
}

/** Returns the words with which Go refuses an argument. The lab's addresses have no checksum. */
function checkArgument(value: unknown, type: GoType): string | undefined {
  const isText = type === "string" || type === "address";
  const cannot = (what: string) => `json: cannot unmarshal ${what} into Go value of type ${isText ? "string" : type}`;
  if (typeof value !== (isText ? "string" : "number")) return cannot(typeof value);
  if (type === "address" && !addressForm.test(value as string))
    return `invalid bech32 string length ${(value as string).length}`;
  const isWrong = !isText && (!Number.isInteger(value) || (type.startsWith("u") && (value as number) < 0));
  return isWrong ? cannot(`number ${value}`) : undefined;
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

const maxBodyBytes = 5 * 1024 * 1024;

/** Returns an answer that needs no look at the body, in the order of the real node's checks. */
function refusal(request: IncomingMessage): Reply | undefined {
  const contentType = "text/plain; charset=utf-8";
  const plain = (status: number, text: string): Reply => ({ status, body: `${text}\n`, contentType });
  if (!isAddress(request.headers.host ?? "")) return plain(403, "invalid host specified");
  const size = Number(request.headers["content-length"] ?? 0);
  if (request.method === "GET" && size === 0) return { status: 200, body: "", contentType: "application/json" };
  if (request.method === "PUT" || request.method === "DELETE") return plain(405, "method not allowed");
  if (size > maxBodyBytes) return plain(413, `content length too large (${size}>${maxBodyBytes})`);
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
