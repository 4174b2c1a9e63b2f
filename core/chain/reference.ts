import { ask } from "../util/ask";
import type { RpcAnswer } from "./jsonRpc";

/** Calls an independent node; `timeout` is in milliseconds. @throws Error with the reason, such as `ECONNREFUSED` */
export async function callReference(
  url: string,
  method: string,
  params: readonly unknown[],
  timeout: number,
): Promise<RpcAnswer> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const request = { method: "POST", headers: { "content-type": "application/json" }, body };
  const { status, headers, text } = await ask(url, request, timeout);
  const date = Date.parse(headers.get("date") ?? "");
  return { status, body: text, date: Number.isNaN(date) ? undefined : date };
}
