import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { accountRoutes } from "./account";
import { actionRoutes, endActions } from "./actions";
import { type Answer, ApiError, match, notFound, readJson, send } from "./api";
import { Cloud, type Options, type SeenRequest } from "./cloud";
import { controlRoutes } from "./control";
import { dropletActionRoutes } from "./dropletActions";
import { dropletRoutes } from "./droplets";
import { applyFirewalls } from "./firewallRules";
import { firewallRoutes } from "./firewalls";
import { offerRoutes } from "./offers";

const routes = [
  ...accountRoutes,
  ...offerRoutes,
  ...firewallRoutes,
  ...actionRoutes,
  ...dropletActionRoutes,
  ...dropletRoutes,
];

export interface DigitalOcean {
  readonly handler: RequestListener;
  /** State of the account. Tests read it here and change it through `/_lab`. */
  readonly cloud: Cloud;
}

/**
 * Creates DigitalOcean's API v2 as of late 2026, for one account. ../README.md says what is missing and how tests control
 * it.
 */
export function createDigitalOcean(options: Options): DigitalOcean {
  const cloud = new Cloud(options);
  // Requests run one at a time, because two creates must not both get the last free capacity.
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = turn.then(work);
    turn = mine.catch(() => undefined);
    return mine;
  };
  const handler: RequestListener = (request, response) => {
    serve(cloud, inTurn, request, response).catch(() => response.destroy());
  };
  return { handler, cloud };
}

async function serve(
  cloud: Cloud,
  inTurn: <T>(work: () => Promise<T>) => Promise<T>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const base = `http://${request.headers.host ?? "api.digitalocean.com"}`;
  const url = new URL(request.url ?? "/", base);
  const [method, path] = [request.method ?? "GET", url.pathname];
  const seen: SeenRequest = { at: cloud.timestamp(), method, path: path + url.search, status: 0 };
  const isControl = path.startsWith("/_lab/");
  if (!isControl) cloud.requests.push(seen);

  if (!isControl && cloud.faults.strike("cutAnswer", { method, path }, ({ done }) => !done)) {
    return void response.destroy();
  }

  const answer = async (): Promise<Answer> => {
    const body = await readJson(request);
    if (!isControl) authorize(cloud, request, method, path);
    const found = match(isControl ? controlRoutes : routes, method, path);
    if (!found) throw notFound();
    return inTurn(async () => {
      await endActions(cloud);
      const { route, params } = found;
      const answered = await route.answer(cloud, { method, path, params, query: url.searchParams, body, base });
      await applyFirewalls(cloud);
      return answered;
    });
  };
  const requestId = randomUUID();
  const [result, headers] = await answer().then(
    (answered) => [answered, {}] as const,
    (error: unknown) => errorAnswer(error, requestId),
  );
  if (!isControl) {
    if (cloud.faults.strike("cutAnswer", { method, path }, ({ done }) => done)) return void response.destroy();
  }
  seen.status = result.status;
  send(response, result, isControl ? {} : { "x-request-id": requestId, ...headers });
}

function authorize(cloud: Cloud, request: IncomingMessage, method: string, path: string): void {
  const fault = cloud.faults.strike("answer", { method, path });
  if (fault) {
    const { status, message = messages[status] ?? "Server Error", retryAfter } = fault;
    throw new ApiError(status, message, retryAfter === undefined ? {} : { "retry-after": String(retryAfter) });
  }
  const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
  const access = cloud.tokens.get(token ?? "");
  if (!access) throw new ApiError(401, messages[401] ?? "");
  if (access === "read" && method !== "GET") throw new ApiError(403, messages[403] ?? "");
}

const messages: Record<number, string> = {
  401: "Unable to authenticate you",
  403: "You are not authorized to perform this operation",
  404: "The resource you were accessing could not be found.",
  429: "API rate limit exceeded.",
  503: "Service Unavailable",
};

function errorAnswer(error: unknown, request_id: string): readonly [Answer, Record<string, string>] {
  const known = error instanceof ApiError ? error : new ApiError(500, String(error));
  const { id, message, status, headers } = known;
  return [{ status, body: { id, message, request_id } }, headers];
}
