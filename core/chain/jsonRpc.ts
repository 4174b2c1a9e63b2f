import http from "node:http";
import type { Duplex } from "node:stream";
import { isTooLarge, readBoundedStream, sendRequest } from "../util/sendRequest";
import { withTimeout } from "../util/withTimeout";

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

/**
 * Sends one request over a stream to the RPC's port, through ssh or directly, that carries no other. @throws if no
 * stream can be opened, or no complete answer comes before the timeout
 */
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

function exchange(stream: Duplex, { verb, authority, body }: HttpCall): Promise<RpcAnswer> {
  return new Promise((resolve, reject) => {
    const request = http.request({
      method: verb,
      path: "/",
      headers: {
        host: authority,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        connection: "close",
      },
      createConnection: () => stream,
    });
    request.on("error", (error: NodeJS.ErrnoException) => {
      const isHttp = !error.code?.startsWith("HPE_");
      reject(isHttp ? error : new Error("another service answers on the RPC's port, and speaks no HTTP"));
    });
    request.on("response", (response) => {
      const { statusCode = 0, headers } = response;
      readBoundedStream(response).then(
        (text) => resolve({ status: statusCode, date: parseDate(headers.date), body: text }),
        (error) => reject(isTooLarge(error) ? new Error(error.message) : new Error("the RPC's answer was cut off")),
      );
    });
    request.end(body);
  });
}
