import { createHash } from "node:crypto";
import { z } from "zod";
import { invalidInput, noCapacity, notUnique } from "./apiError";
import { type Cloud, checkLabels } from "./cloud";
import { inboundRulesOf, orderedFirewall } from "./firewall";
import { type Answer, created } from "./http";
import { newPrimaryIp } from "./primaryIps";
import { type Server, serverJson } from "./server";

const MOST_USER_DATA = 32 * 1024;

/** A host name as RFC 1123 wants it. */
export const HOST_NAME =
  /^(?!.{254})[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;

const idOrName = z.union([z.int(), z.string()]);
const orderSchema = z.object({
  name: z.string().regex(HOST_NAME, "is not a valid hostname"),
  server_type: idOrName,
  image: idOrName,
  location: z.string().optional(),
  ssh_keys: z.array(idOrName).default([]),
  user_data: z
    .string()
    .refine((text) => Buffer.byteLength(text) <= MOST_USER_DATA, "is longer than 32 KiB")
    .default(""),
  labels: z.record(z.string(), z.string()).optional(),
  firewalls: z.array(z.object({ firewall: z.int() })).default([]),
  public_net: z
    .object({
      enable_ipv4: z.boolean().default(true),
      enable_ipv6: z.boolean().default(true),
      ipv4: z.null().optional(),
      ipv6: z.null().optional(),
    })
    .default({ enable_ipv4: true, enable_ipv6: true }),
  start_after_create: z.boolean().default(true),
});

/** POST /servers. */
export async function orderServer(cloud: Cloud, body: unknown): Promise<Answer> {
  const order = orderSchema.parse(body);
  if ([...cloud.servers.values()].some(({ name }) => name === order.name)) throw notUnique("server name");
  const { catalogue } = cloud;
  const plan = catalogue.plan(order.server_type);
  const place = catalogue.place(order.location);
  const image = catalogue.image(order.image, plan.architecture);
  catalogue.order(plan, place.name);
  const keys = order.ssh_keys.map((wanted) => {
    const key = [...cloud.sshKeys.values()].find(({ id, name }) => id === wanted || name === wanted);
    if (!key) throw invalidInput("ssh_keys", `SSH key ${wanted} not found`);
    return key.public_key;
  });
  const firewalls = order.firewalls.map(({ firewall }) => orderedFirewall(cloud, firewall));
  const labels = checkLabels(order.labels);
  cloud.faults.limit("servers", cloud.servers.size);
  const concerns = (fault: { location?: string | undefined; serverType?: string | undefined }) =>
    (fault.location ?? place.name) === place.name && (fault.serverType ?? plan.name) === plan.name;
  const isFull = cloud.faults.strike("noCapacity", (fault) => fault.shows === "create" && concerns(fault));
  if (isFull || !catalogue.hasRoom(plan, place.name)) throw noCapacity();

  const id = cloud.newId();
  const server: Server = {
    id,
    name: order.name,
    created: cloud.clock.stamp(),
    place,
    image,
    machine: `hz${id}`,
    labels,
    status: "initializing",
    plan,
    diskGb: plan.disk,
    protection: { delete: false, rebuild: false },
    backupWindow: null,
    seenUp: false,
    dead: cloud.faults.strike("neverBoots", (fault) => (fault.server ?? order.name) === order.name) !== undefined,
  };
  cloud.servers.set(id, server);
  for (const firewall of firewalls) {
    firewall.appliedTo = [...firewall.appliedTo, { type: "server", server: { id } }];
  }
  const lateError = cloud.faults.strike("noCapacity", (fault) => fault.shows === "action" && concerns(fault))
    ? { code: "resource_unavailable", message: "error during placement" }
    : undefined;
  const { address } = await cloud.room.order({
    id: server.machine,
    name: server.name,
    image: image.name,
    userData: order.user_data,
    sshKeys: keys,
    firewall: inboundRulesOf(cloud, server),
  });
  if (order.public_net.enable_ipv4) newPrimaryIp(cloud, id, "ipv4", address, place);
  if (order.public_net.enable_ipv6) newPrimaryIp(cloud, id, "ipv6", ipv6Network(id), place);

  const isOn = order.start_after_create && !lateError;
  if (!isOn || server.dead) await cloud.room.powerOff(server.machine, true);
  const actions = start(cloud, server, isOn, lateError);
  return created({ server: serverJson(cloud, server), ...actions, root_password: password(id, keys) });
}

function start(cloud: Cloud, server: Server, isOn: boolean, lateError?: { code: string; message: string }) {
  const about = [{ id: server.id, type: "server" as const }];
  const action = cloud.actions.start(
    "create_server",
    about,
    {
      onSuccess: () => {
        server.status = isOn ? "starting" : "off";
      },
      // It stays in the project, off and without a use, until somebody deletes it.
      onError: async () => {
        server.status = "off";
        server.dead = true;
        await cloud.room.remove(server.machine);
      },
    },
    lateError,
  );
  const onSuccess = () => {
    server.status = "running";
  };
  const next = isOn ? [cloud.actions.start("start_server", about, { after: action.id, onSuccess })] : [];
  return { action, next_actions: next };
}

// Without a key, root gets a password, told once.
function password(id: number, keys: readonly string[]): string | null {
  if (keys.length > 0) return null;
  return createHash("sha256").update(`password of ${id}`).digest("base64url").slice(0, 20);
}

/** From the range for documentation: nothing answers there. */
function ipv6Network(id: number): string {
  return `2001:db8:${(id % 0xffff).toString(16)}:${Math.floor(id / 0xffff).toString(16)}::/64`;
}
