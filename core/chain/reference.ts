import { boundedText } from "../util/boundedText";
import { printable } from "../util/printable";
import type { RpcAnswer } from "./jsonRpc";

/**
 * One JSON-RPC call to an independent node at its address.
 *
 * @param timeout milliseconds for the whole call
 * @throws Error with the reason in a word or a line, as `ECONNREFUSED`
 */
export async function callReference(
  url: string,
  method: string,
  params: readonly unknown[],
  timeout: number,
): Promise<RpcAnswer> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      signal: AbortSignal.timeout(timeout),
    });
    const date = Date.parse(response.headers.get("date") ?? "");
    return {
      status: response.status,
      body: await boundedText(response),
      date: Number.isNaN(date) ? undefined : date,
    };
  } catch (error) {
    const { cause, message } = error as Error & { cause?: Error & { code?: string } };
    throw new Error(printable(cause?.code ?? cause?.message ?? message));
  }
}
