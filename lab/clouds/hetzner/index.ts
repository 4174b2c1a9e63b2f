import { createHash } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { z } from "zod";
import type { MachineRoom } from "../machineRoom";
import { Actions } from "./actions";
import { ApiError, notFound, usualError } from "./apiError";
import { Catalogue } from "./catalogue";
import type { Clock } from "./clock";
import type { Cloud } from "./cloud";
import { controlRoutes, type Told } from "./control";
import { Faults } from "./faults";
import { firewallRoutes } from "./firewallRoutes";
import { type Answer, dispatch, ok, type Route, readJson, send } from "./http";
import { listing } from "./listing";
import { serverRoutes } from "./serverRoutes";
import { sshKeyRoutes } from "./sshKeys";

const API = "/v1";
const CONTROL = "/_lab";
const TOKEN_LENGTH = 64;
const DEFAULT_ACTION_SECONDS = 0.2;

/** Dependencies and settings of a Hetzner project. */
export interface HetznerOptions {
  readonly room: MachineRoom;
  /** Each has 64 characters. `read` tokens cannot change anything. */
  readonly tokens: Readonly<Record<string, "write" | "read">>;
  /** Returns milliseconds (default: the machine's clock). */
  readonly now?: () => number;
  /** First id (default 52 000 000). */
  readonly firstId?: number;
  /** Minimum duration of an action (default 0.2). */
  readonly actionSeconds?: number;
}

/** Hetzner Cloud's API v1 as of late 2026, for one project. */
export interface Hetzner {
  readonly handler: RequestListener;
  readonly cloud: Cloud;
  /** All requests to the API, oldest first. */
  readonly requests: readonly Told[];
}

const settleEvery = 200;

export function createHetzner(options: HetznerOptions): Hetzner {
  if (Object.keys(options.tokens).some((token) => token.length !== TOKEN_LENGTH)) {
    throw new Error(`a token of Hetzner has ${TOKEN_LENGTH} characters`);
  }
  const cloud = newCloud(options);
  const requests: Told[] = [];
  const api = apiRoutes(cloud);
  const control = controlRoutes(cloud, requests);
  // The machine's clock moves on its own, so actions must advance between requests, as they do at the provider. A test
  // advances its own clock.
  if (options.now === undefined) setInterval(() => void cloud.actions.settle(), settleEvery).unref();

  const answerApi = async (request: IncomingMessage, url: URL): Promise<Answer | "cut"> => {
    const [method, path] = [request.method ?? "GET", url.pathname.slice(API.length)];
    authorize(options.tokens, request);
    const body = await readJson(request);
    cloud.faults.refuse(method, path);
    if (cloud.faults.cut(method, path, false)) return "cut";
    await cloud.actions.settle();
    const answer = await dispatch(api, { method, path, query: url.searchParams, body });
    return cloud.faults.cut(method, path, true) ? "cut" : answer;
  };

  const handler = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? "/", "http://hetzner");
    const method = request.method ?? "GET";
    if (url.pathname.startsWith(`${CONTROL}/`)) {
      const path = url.pathname.slice(CONTROL.length);
      const asked = async () =>
        dispatch(control, { method, path, query: url.searchParams, body: await readJson(request) });
      const { answer } = await orError(asked);
      return send(response, answer, {});
    }
    const { answer, headers } = await orError(async () => {
      if (!url.pathname.startsWith(`${API}/`)) throw notFound("page");
      return answerApi(request, url);
    });
    const status = answer === "cut" ? 0 : answer.status;
    requests.push({ at: cloud.clock.stamp(), method, path: url.pathname + url.search, status });
    if (answer === "cut") return void request.socket.destroy();
    const correlation = {
      "x-correlation-id": createHash("sha1").update(String(requests.length)).digest("hex").slice(0, 16),
    };
    send(response, answer, { ...correlation, ...headers });
  };
  return { handler: (request, response) => void handler(request, response), cloud, requests };
}

function newCloud({ room, now = Date.now, firstId = 52_000_000, actionSeconds }: HetznerOptions): Cloud {
  const clock: Clock = { now, stamp: () => new Date(now()).toISOString().replace(/\.\d+/, "") };
  let last = firstId - 1;
  const newId = () => {
    last += 1;
    return last;
  };
  const faults = new Faults();
  const catalogue = new Catalogue(faults);
  const actions = new Actions(clock, newId, faults.fate(actionSeconds ?? DEFAULT_ACTION_SECONDS));
  const empty = { sshKeys: new Map(), firewalls: new Map(), servers: new Map() };
  return { room, clock, newId, faults, catalogue, actions, ...empty };
}

function apiRoutes(cloud: Cloud): Route[] {
  return [
    ...cloud.catalogue.routes,
    ...sshKeyRoutes(cloud),
    ...firewallRoutes(cloud),
    ...serverRoutes(cloud),
    [
      "GET",
      "/actions",
      ({ query }) => {
        const oneOf = (key: string, value: string) =>
          query.getAll(key).length === 0 || query.getAll(key).includes(value);
        const actions = cloud.actions
          .list()
          .filter(({ id, status }) => oneOf("id", String(id)) && oneOf("status", status));
        return listing("actions", actions, query);
      },
    ],
    [
      "GET",
      "/actions/:id",
      ({ params }) => {
        const action = cloud.actions.get(Number(params.id));
        if (!action) throw notFound("action");
        return ok({ action });
      },
    ],
  ];
}

function authorize(tokens: HetznerOptions["tokens"], request: IncomingMessage): void {
  const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
  const rights = Object.hasOwn(tokens, token) ? tokens[token] : undefined;
  if (!rights) throw usualError(401);
  if (rights === "read" && request.method !== "GET") throw usualError(403);
}

async function orError<T>(
  work: () => Promise<T>,
): Promise<{ readonly answer: T | Answer; readonly headers: Readonly<Record<string, string>> }> {
  try {
    return { answer: await work(), headers: {} };
  } catch (error) {
    const fault = error instanceof z.ZodError ? fromZod(error) : error;
    const api = fault instanceof ApiError ? fault : new ApiError(500, "server_error", String(fault));
    const body = { error: { code: api.code, message: api.message, details: api.details } };
    return { answer: { status: api.status, body }, headers: api.headers };
  }
}

function fromZod(error: z.ZodError): ApiError {
  const fields = error.issues.map(({ path, message }) => ({ name: path.join("."), messages: [message] }));
  const names = fields.map(({ name }) => `'${name}'`).join(", ");
  return new ApiError(422, "invalid_input", `invalid input in fields ${names}`, { fields });
}
