import { z } from "zod";
import { type Answer, ApiError, created } from "../api/http";
import { invalidInput, noCapacity, notUnique } from "./apiError";
import { findImage, findPlace, findPlan } from "./catalogue";
import { type Cloud, found } from "./cloud";
import { inboundRulesOf } from "./firewall";
import type { Server } from "./resources";
import { serverJson } from "./server";

/** Matches a host name according to RFC 1123. */
export const HOST_NAME = /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

const idOrName = z.union([z.int(), z.string()]);
const orderSchema = z.object({
  name: z.string().regex(HOST_NAME, "is not a valid hostname"),
  server_type: idOrName,
  image: idOrName,
  location: z.string().optional(),
  ssh_keys: z.array(idOrName).default([]),
  user_data: z.string().default(""),
  labels: z.record(z.string(), z.string()).optional(),
  firewalls: z.array(z.object({ firewall: z.int() })).default([]),
});

export async function orderServer(cloud: Cloud, body: unknown): Promise<Answer> {
  const order = orderSchema.parse(body);
  if ([...cloud.servers.values()].some(({ name }) => name === order.name)) throw notUnique("server name");
  const plan = findPlan(order.server_type);
  const place = findPlace(order.location);
  const image = findImage(order.image, plan.architecture);
  if (plan.prices[place.name] === undefined) throw invalidInput("location", "unsupported location for server type");
  const keys = order.ssh_keys.map((wanted) => {
    const key = [...cloud.sshKeys.values()].find(({ id, name }) => id === wanted || name === wanted);
    if (!key) throw invalidInput("ssh_keys", `SSH key ${wanted} not found`);
    return key.public_key;
  });
  const firewalls = order.firewalls.map(({ firewall }) => found(cloud.firewalls, firewall, "firewall"));
  if (cloud.faults.strike("noCapacity", { location: place.name, shows: "create" }))
    throw new ApiError(412, noCapacity.code, noCapacity.message);

  const id = cloud.newId();
  const server: Server = {
    id,
    name: order.name,
    place: place.name,
    image,
    machine: `hz${id}`,
    labels: order.labels ?? {},
    address: undefined,
    status: "initializing",
    plan,
    protection: { delete: false, rebuild: false },
    backupWindow: null,
    seenUp: false,
    dead: cloud.faults.strike("neverBoots") !== undefined,
  };
  cloud.servers.set(id, server);
  for (const firewall of firewalls) {
    firewall.appliedTo = [...firewall.appliedTo, { type: "server", server: { id } }];
  }
  const isFullLater = cloud.faults.strike("noCapacity", { location: place.name, shows: "action" }) !== undefined;
  const { address } = await cloud.room.order({
    id: server.machine,
    name: server.name,
    image: image.name,
    userData: order.user_data,
    sshKeys: keys,
    firewall: inboundRulesOf(cloud, server),
  });
  server.address = address;
  if (isFullLater || server.dead) await cloud.room.powerOff(server.machine);
  const actions = start(cloud, server, isFullLater);
  return created({ server: serverJson(cloud, server), ...actions, root_password: null });
}

function start(cloud: Cloud, server: Server, isFull: boolean) {
  const about = [{ id: server.id, type: "server" as const }];
  const action = cloud.actions.start(
    "create_server",
    about,
    {
      onSuccess: () => {
        server.status = "starting";
      },
      // The server stays in the project, off and unusable, until somebody deletes it.
      onError: async () => {
        server.status = "off";
        server.dead = true;
        await cloud.room.remove(server.machine);
      },
    },
    isFull ? noCapacity : undefined,
  );
  const onSuccess = () => {
    server.status = "running";
  };
  const next = isFull ? [] : [cloud.actions.start("start_server", about, { after: action.id, onSuccess })];
  return { action, next_actions: next };
}
