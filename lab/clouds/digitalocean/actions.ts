import { type Answer, type ApiRequest, notFound, page, type Route, unprocessable } from "./api";
import type { Action, Cloud, Droplet } from "./cloud";

/** Starts an action on a Droplet. It ends in the first request after it is due. */
export function start(
  cloud: Cloud,
  droplet: Droplet,
  type: string,
  effect: Action["effect"],
  more: { readonly ready?: Action["ready"]; readonly ms?: number } = {},
): Action {
  if (pending(cloud, droplet)) throw unprocessable("Droplet already has a pending event.");
  const action: Action = {
    id: cloud.newId(),
    status: "in-progress",
    type,
    started_at: cloud.timestamp(),
    completed_at: null,
    droplet,
    due:
      cloud.now() +
      (more.ms ?? cloud.timings.action) +
      1000 * (cloud.faults.strike("slowAction", { command: type })?.seconds ?? 0),
    ready: more.ready,
    effect,
  };
  cloud.actions.set(action.id, action);
  return action;
}

/** Returns the running action, which locks the Droplet. */
export function pending(cloud: Cloud, droplet: Droplet): Action | undefined {
  return [...cloud.actions.values()].find((action) => action.droplet === droplet && action.status === "in-progress");
}

export async function endActions(cloud: Cloud): Promise<void> {
  for (const action of cloud.actions.values()) {
    if (action.status === "in-progress" && cloud.now() >= action.due) await end(cloud, action);
  }
}

async function end(cloud: Cloud, action: Action): Promise<void> {
  const stuck = cloud.faults.all("slowAction", { command: action.type }).some(({ seconds }) => seconds === undefined);
  if (stuck || (action.ready && !(await action.ready()))) return;
  const { droplet } = action;
  const fault = cloud.faults.strike("failAction", { command: action.type }) ?? lackOfRoom(cloud, action);
  try {
    if (!fault) await action.effect();
    action.status = fault ? "errored" : "completed";
  } catch {
    action.status = "errored";
  }
  action.completed_at = cloud.timestamp();
  if (!fault || action.type !== "create") return;
  await cloud.room.remove(droplet.machine);
  if (fault.vanishes) cloud.droplets.delete(droplet.id);
}

function lackOfRoom(cloud: Cloud, { type, droplet }: Action): { vanishes: boolean } | undefined {
  if (type !== "create") return undefined;
  const { region, size } = droplet;
  return cloud.faults.strike("noCapacity", { region, size }, ({ shows }) => shows === "action") && { vanishes: false };
}

/** Returns an action in the API's form. */
export function actionBody({ id, status, type, started_at, completed_at, droplet }: Action) {
  return { id, status, type, started_at, completed_at, resource_id: droplet.id, resource_type: "droplet" };
}

function list(cloud: Cloud, request: ApiRequest): Answer {
  const wanted = [...cloud.actions.values()].filter(({ droplet }) => String(droplet.id) === request.params.id);
  return page(request, "actions", wanted.reverse().map(actionBody));
}

function one(cloud: Cloud, { params }: ApiRequest): Answer {
  const action = cloud.actions.get(Number(params.action));
  if (!action || String(action.droplet.id) !== params.id) throw notFound();
  return { status: 200, body: { action: actionBody(action) } };
}

export const actionRoutes: readonly Route[] = [
  { method: "GET", path: "/v2/droplets/:id/actions", answer: list },
  { method: "GET", path: "/v2/droplets/:id/actions/:action", answer: one },
];
