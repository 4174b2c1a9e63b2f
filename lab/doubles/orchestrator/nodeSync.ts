import type { OrchestratorConfig } from "./stateDir";

/** Where the node of the configuration answers over HTTP; its WebSocket's port is the next one. */
export function nodeRpcUrl(config: OrchestratorConfig): string {
  const url = new URL(config.Networks.Znn?.Urls[0] ?? "ws://127.0.0.1:35998");
  return `http://${url.hostname}:${url.port === "35998" ? "35997" : url.port}`;
}

/** Whether the node says that it is synced; one that does not answer is not. */
export async function isSynced(rpcUrl: string): Promise<boolean> {
  try {
    const response = await fetch(rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"jsonrpc":"2.0","id":1,"method":"stats.syncInfo","params":[]}',
      signal: AbortSignal.timeout(5000),
    });
    return ((await response.json()) as { result?: { state?: number } }).result?.state === 2;
  } catch {
    return false;
  }
}
