import { ok, type Route } from "../api/http";
import { found, listing, notFound, unprocessable } from "./answers";
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
    droplet,
    due: Date.now() + (more.ms ?? cloud.timings.action),
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
    if (action.status === "in-progress" && Date.now() >= action.due) await end(cloud, action);
  }
}

async function end(cloud: Cloud, action: Action): Promise<void> {
  const isSlow = cloud.faults.has("slowAction", { command: action.type });
  if (isSlow || (action.ready && !(await action.ready()))) return;
  const { droplet } = action;
  const isFailing = cloud.faults.strike("failAction", { command: action.type }) !== undefined || isFull(cloud, action);
  try {
    if (!isFailing) await action.effect();
    action.status = isFailing ? "errored" : "completed";
  } catch {
    action.status = "errored";
  }
  if (isFailing && action.type === "create") await cloud.room.remove(droplet.machine);
}

function isFull(cloud: Cloud, { type, droplet }: Action): boolean {
  const place = { location: droplet.region, shows: "action" } as const;
  return type === "create" && cloud.faults.strike("noCapacity", place) !== undefined;
}

/** Returns an action in the API's form. */
export function actionBody({ id, status, type, droplet }: Action) {
  return { id, status, type, resource_id: droplet.id, resource_type: "droplet" };
}

export function actionRoutes(cloud: Cloud): Route[] {
  return [
    [
      "GET",
      "/droplets/:id/actions",
      ({ params }) => {
        const wanted = [...cloud.actions.values()].filter(({ droplet }) => String(droplet.id) === params.id);
        return listing("actions", wanted.reverse().map(actionBody));
      },
    ],
    [
      "GET",
      "/droplets/:droplet/actions/:id",
      (request) => {
        const action = found(cloud.actions, request);
        if (String(action.droplet.id) !== request.params.droplet) throw notFound();
        return ok({ action: actionBody(action) });
      },
    ],
  ];
}
