import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";

/**
 * Creates the orchestrator's RPC server. A request is {method, params}, an answer {result, error}. Any HTTP method, path,
 * and content type works. All clients together get two requests a second.
 * @param call returns undefined if there is no such method
 * @param isFrozen true while no request is answered
 */
export function createRpcServer(
  call: (method: string) => Promise<unknown> | undefined,
  isFrozen: () => boolean = () => false,
): Server {
  const isAllowed = rateLimit(2);
  return createServer((request, response) => {
    if (isFrozen()) return;
    serve(call, isAllowed, request, response).catch(() => response.destroy());
  });
}

async function serve(
  call: Parameters<typeof createRpcServer>[0],
  isAllowed: () => boolean,
  request: IncomingMessage,
  response: ServerResponse,
) {
  if (!isAllowed()) return refuse(response, 429, "Too many requests per second. Maximum ");
  const asked = askedIn(Buffer.concat(await request.toArray()).toString("utf8"));
  if (asked === undefined) return refuse(response, 400, "Invalid request: EOF");
  const { method = "", params } = asked;
  const result = call(method);
  if (result === undefined) return refuse(response, 404, `Method ${method} not found`);
  if (params?.length) return refuse(response, 500, "this method does not accept parameters");
  send(response, 200, JSON.stringify({ result: await result, error: "" }));
}

function askedIn(body: string): { readonly method?: string; readonly params?: unknown[] } | undefined {
  try {
    const { method, params } = JSON.parse(body) as { method?: unknown; params?: unknown };
    const isMethod = method === undefined || typeof method === "string";
    return isMethod && (params === undefined || Array.isArray(params))
      ? ({ method, params } as ReturnType<typeof askedIn>)
      : undefined;
  } catch {
    return undefined;
  }
}

function refuse(response: ServerResponse, status: number, error: string): void {
  send(response, status, JSON.stringify({ result: null, error }));
}

function send(response: ServerResponse, status: number, body: string): void {
  const contentType = "text/plain; charset=utf-8";
  const text = Buffer.from(`${body}\n`);
  response.writeHead(status, { "content-type": contentType, "content-length": text.length }).end(text);
}

/** Returns a function that allows `perSecond` requests a second, and as many at once after a pause. */
function rateLimit(perSecond: number): () => boolean {
  let [tokens, last] = [perSecond, Date.now()];
  return () => {
    const now = Date.now();
    tokens = Math.min(perSecond, tokens + ((now - last) / 1000) * perSecond);
    last = now;
    const isAllowed = tokens >= 1;
    if (isAllowed) tokens -= 1;
    return isAllowed;
  };
}
