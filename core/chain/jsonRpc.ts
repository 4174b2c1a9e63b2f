import { once } from "node:events";
import http from "node:http";
import type { Duplex } from "node:stream";
import { hasKind } from "../util/problem.ts";
import { readBoundedStream, sendRequest } from "../util/sendRequest.ts";
import { withTimeout } from "../util/withTimeout.ts";

export interface RpcAnswer {
  readonly status: number;
  /** Unix milliseconds of the answer's Date header: the node's clock. */
  readonly date?: number | undefined;
  readonly body: string;
}

interface HttpCall {
  readonly verb: "GET" | "POST";
  /** host:port for the Host header. Must be an IP address: the node refuses names (docs/chain.md, Node). */
  readonly authority: string;
  readonly body: string;
  /** Milliseconds for the whole call: a frozen node accepts connections and never answers. */
  readonly timeout: number;
  readonly whom: string;
}

export const rpcBody = (method: string, params: readonly unknown[]) =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });

/** Calls an independent node; `timeout` is in milliseconds. @throws Error with the reason, such as `ECONNREFUSED` */
export async function callReference(
  url: string,
  method: string,
  params: readonly unknown[],
  timeout: number,
): Promise<RpcAnswer> {
  const request = { method: "POST", headers: { "content-type": "application/json" }, body: rpcBody(method, params) };
  const { status, headers, text } = await sendRequest(url, request, timeout);
  return { status, date: parseDate(headers.get("date")), body: text };
}

function parseDate(header: string | null | undefined): number | undefined {
  const date = Date.parse(header ?? "");
  return Number.isNaN(date) ? undefined : date;
}

/** Sends one request over a stream of its own. @throws if none opens, or no complete answer comes before the timeout */
export async function callHttp(open: () => Promise<Duplex>, call: HttpCall): Promise<RpcAnswer> {
  const opening = open();
  const answering = opening.then((stream) => exchange(stream, call));
  const late = `no answer within ${Math.round(call.timeout / 1000)} s: ${call.whom} is overloaded or frozen`;
  try {
    return await withTimeout(answering, call.timeout, late);
  } finally {
    // Closes a stream that opens later, too.
    opening.then(
      (stream) => stream.destroy(),
      () => undefined,
    );
  }
}

async function exchange(stream: Duplex, { verb, authority, body }: HttpCall): Promise<RpcAnswer> {
  const length = Buffer.byteLength(body);
  const type = { "content-type": "application/json", "content-length": length };
  const headers = { host: authority, ...type, connection: "close" };
  const request = http.request({ method: verb, path: "/", headers, createConnection: () => stream });
  // After the answer's begin, reading it reports the error.
  request.on("error", () => undefined).end(body);
  const [response] = (await once(request, "response").catch((error: NodeJS.ErrnoException) => {
    if (!error.code?.startsWith("HPE_")) throw error;
    throw new Error("another service answers on the RPC's port, and speaks no HTTP");
  })) as [http.IncomingMessage];
  const text = await readBoundedStream(response).catch((error: Error) => {
    throw new Error(hasKind(error, "tooLarge") ? error.message : "the RPC's answer was cut off");
  });
  return { status: response.statusCode ?? 0, date: parseDate(response.headers.date), body: text };
}
