import type { RequestListener } from "node:http";
import { createApi, type SeenRequest } from "../api";
import { Faults } from "../api/faults";
import { ok, type Route } from "../api/http";
import type { MachineRoom } from "../machineRoom";
import { Actions } from "./actions";
import { invalidBody, notFound, usualError } from "./apiError";
import { catalogueRoutes } from "./catalogue";
import type { Cloud } from "./cloud";
import { firewallRoutes } from "./firewallRoutes";
import { listing } from "./listing";
import { serverRoutes } from "./serverRoutes";
import { sshKeyRoutes } from "./sshKeys";

const tokenLength = 64;

/** Dependencies and settings of a Hetzner project. */
export interface HetznerOptions {
  readonly room: MachineRoom;
  /** Each has 64 characters. `read` tokens cannot change anything. */
  readonly tokens: Readonly<Record<string, "write" | "read">>;
  /** Minimum duration of an action (default 0.2). */
  readonly actionSeconds?: number;
}

/** Hetzner Cloud's API v1 as of late 2026, for one project. */
export interface Hetzner {
  readonly handler: RequestListener;
  readonly cloud: Cloud;
  /** All requests to the API, oldest first. */
  readonly requests: readonly SeenRequest[];
}

/** Actions also end between requests, as they do at the provider. */
const settleEvery = 200;

export function createHetzner({ room, tokens, actionSeconds = 0.2 }: HetznerOptions): Hetzner {
  if (Object.keys(tokens).some((token) => token.length !== tokenLength)) {
    throw new Error(`a token of Hetzner has ${tokenLength} characters`);
  }
  let last = 51_999_999;
  const newId = () => {
    last += 1;
    return last;
  };
  const faults = new Faults();
  const actions = new Actions(newId, faults, actionSeconds);
  const cloud: Cloud = { room, newId, faults, actions, sshKeys: new Map(), firewalls: new Map(), servers: new Map() };
  setInterval(() => void actions.settle(), settleEvery).unref();
  const api = createApi({
    version: "/v1",
    tokens,
    faults,
    routes: [
      ...catalogueRoutes,
      ...sshKeyRoutes(cloud),
      ...firewallRoutes(cloud),
      ...serverRoutes(cloud),
      ...actionRoutes(actions),
    ],
    servers: () =>
      [...cloud.servers.values()].map(({ place, plan, ...server }) => ({
        ...server,
        location: place,
        serverType: plan.name,
      })),
    work: async (handle) => {
      await actions.settle();
      return handle();
    },
    usualError,
    invalidInput: invalidBody,
    errorBody: ({ code, message, details }) => ({ error: { code, message, details } }),
  });
  return { ...api, cloud };
}

function actionRoutes(actions: Actions): Route[] {
  return [
    [
      "GET",
      "/actions",
      ({ query }) => {
        const ids = query.getAll("id");
        return listing(
          "actions",
          actions.list().filter(({ id }) => ids.includes(String(id))),
          query,
        );
      },
    ],
    [
      "GET",
      "/actions/:id",
      ({ params }) => {
        const action = actions.get(Number(params.id));
        if (!action) throw notFound("action");
        return ok({ action });
      },
    ],
  ];
}
