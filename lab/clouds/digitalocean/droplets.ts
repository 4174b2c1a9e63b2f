import { isIPv4 } from "node:net";
import { endActions, pending, start } from "./actions";
import { type Answer, type ApiRequest, bodyAs, notFound, page, type Route, unprocessable } from "./api";
import type { Cloud, Droplet } from "./cloud";
import { type CreateRequest, createSchema, orderOf } from "./dropletOrder";
import { rulesOf } from "./firewallRules";
import { imageBody, regionBody, sizeBody } from "./offers";

const IDS_FROM = 530_000_000;

/** A Droplet as the API tells it. */
export function dropletBody(cloud: Cloud, droplet: Droplet): unknown {
  const size = cloud.sizes.find(({ slug }) => slug === droplet.size);
  const region = cloud.regions.find(({ slug }) => slug === droplet.region);
  return {
    id: droplet.id,
    name: droplet.name,
    memory: size?.memory ?? 0,
    vcpus: size?.vcpus ?? 0,
    disk: droplet.disk,
    disk_info: [{ type: "local", size: { amount: droplet.disk, unit: "gib" } }],
    locked: droplet.gone || pending(cloud, droplet) !== undefined,
    status: droplet.status,
    kernel: null,
    created_at: droplet.created_at,
    features: [...droplet.features],
    backup_ids: [],
    next_backup_window: null,
    snapshot_ids: [],
    image: imageBody(cloud, droplet.image),
    volume_ids: [],
    size: size ? sizeBody(cloud, size) : null,
    size_slug: droplet.size,
    networks: networks(cloud, droplet),
    region: region ? regionBody(cloud, region) : null,
    tags: [...droplet.tags],
    vpc_uuid: droplet.vpc_uuid,
  };
}

function networks(cloud: Cloud, droplet: Droplet): { v4: unknown[]; v6: unknown[] } {
  if (droplet.status === "new" || droplet.address === undefined || cloud.now() < droplet.addressAt) {
    return { v4: [], v6: [] };
  }
  const gateway = (address: string) => (isIPv4(address) ? address.replace(/\d+$/, "1") : "");
  const v4 = (type: string, ip_address: string, netmask: string) => ({
    ip_address,
    netmask,
    gateway: gateway(ip_address),
    type,
  });
  const ip_address = `2001:db8::${droplet.id.toString(16).replace(/(.{4})$/, ":$1")}`;
  const v6 = droplet.features.has("ipv6") ? [{ ip_address, netmask: 64, gateway: "2001:db8::1", type: "public" }] : [];
  return {
    v4: [v4("public", droplet.address, "255.255.255.0"), v4("private", droplet.privateAddress, "255.255.240.0")],
    v6,
  };
}

async function create(cloud: Cloud, request: ApiRequest): Promise<Answer> {
  const order = orderOf(cloud, bodyAs<CreateRequest>(createSchema, request));
  const place = { region: order.region.slug, size: order.size.slug };
  const id = cloud.ids.number("droplet", IDS_FROM);
  const late = cloud.faults.strike("lateAddress", place)?.seconds ?? 0;
  const droplet: Droplet = {
    id,
    machine: `do${id}`,
    name: order.name,
    status: "new",
    size: order.size.slug,
    disk: order.size.disk,
    region: order.region.slug,
    image: order.image,
    created_at: cloud.timestamp(),
    features: order.features,
    tags: new Set(order.tags.map((tag) => cloud.tag(tag))),
    vpc_uuid: cloud.vpc(order.region.slug),
    privateAddress: `10.${100 + cloud.regions.indexOf(order.region)}.0.${2 + (id % 250)}`,
    backupPolicy: order.backupPolicy,
    address: undefined,
    addressAt: cloud.now() + cloud.timings.create + late * 1000,
    dead: cloud.faults.strike("neverBoots", { server: order.name }) !== undefined,
    rules: undefined,
    gone: false,
  };
  cloud.droplets.set(id, droplet);
  await boot(cloud, droplet, order.userData, order.sshKeys);
  const { room } = cloud;
  const activate = () => {
    if (droplet.address === undefined) throw new Error("the machine room has no machine");
    droplet.status = "active";
  };
  const ready = async () => droplet.dead || droplet.address === undefined || (await room.isRunning(droplet.machine));
  const action = start(cloud, droplet, "create", activate, { ms: cloud.timings.create, ready });
  const links = { actions: [{ id: action.id, rel: "create", href: `${request.base}/v2/actions/${action.id}` }] };
  return { status: 202, body: { droplet: dropletBody(cloud, droplet), links } };
}

async function boot(cloud: Cloud, droplet: Droplet, userData: string, sshKeys: readonly string[]): Promise<void> {
  const { machine: id, name, image } = droplet;
  const firewall = rulesOf(cloud, droplet);
  droplet.rules = JSON.stringify(firewall);
  const order = { id, name, image: image.slug, userData, sshKeys, firewall };
  const machine = await cloud.room.order(order).catch(() => undefined);
  droplet.address = machine?.address;
  if (machine && droplet.dead) await cloud.room.powerOff(id, true);
}

/** The Droplet of a path, as it stands now. */
export async function find(cloud: Cloud, { params }: ApiRequest): Promise<Droplet> {
  const droplet = cloud.droplets.get(Number(params.id));
  if (!droplet) throw notFound();
  await look(cloud, droplet);
  return droplet;
}

// A machine that shut itself down is off for the provider too.
async function look(cloud: Cloud, droplet: Droplet): Promise<void> {
  if (droplet.status !== "active" || droplet.dead || pending(cloud, droplet)) return;
  if (!(await cloud.room.isRunning(droplet.machine))) droplet.status = "off";
}

async function list(cloud: Cloud, request: ApiRequest): Promise<Answer> {
  const [tag, name] = [request.query.get("tag_name"), request.query.get("name")];
  const shown = [...cloud.droplets.values()].filter(
    (droplet) => (tag === null || isTagged(droplet, tag)) && (name === null || droplet.name === name),
  );
  for (const droplet of shown) await look(cloud, droplet);
  return page(
    request,
    "droplets",
    shown.map((droplet) => dropletBody(cloud, droplet)),
  );
}

const isTagged = (droplet: Droplet, tag: string) =>
  [...droplet.tags].some((own) => own.toLowerCase() === tag.toLowerCase());

async function remove(cloud: Cloud, request: ApiRequest): Promise<Answer> {
  await destroy(cloud, await find(cloud, request));
  return { status: 204 };
}

async function removeTagged(cloud: Cloud, { query }: ApiRequest): Promise<Answer> {
  const tag = query.get("tag_name");
  if (!tag) throw unprocessable("tag_name is required");
  for (const droplet of cloud.droplets.values()) if (isTagged(droplet, tag)) await destroy(cloud, droplet);
  return { status: 204 };
}

async function destroy(cloud: Cloud, droplet: Droplet): Promise<void> {
  if (droplet.gone) return;
  const running = pending(cloud, droplet);
  if (running) running.status = "errored";
  droplet.gone = true;
  start(
    cloud,
    droplet,
    "destroy",
    () => {
      cloud.droplets.delete(droplet.id);
      for (const firewall of cloud.firewalls.values()) {
        firewall.droplet_ids = firewall.droplet_ids.filter((id) => id !== droplet.id);
      }
    },
    { ms: cloud.timings.delete },
  );
  await cloud.room.remove(droplet.machine);
  await endActions(cloud);
}

export const dropletRoutes: readonly Route[] = [
  { method: "POST", path: "/v2/droplets", answer: create },
  { method: "GET", path: "/v2/droplets", answer: list },
  { method: "DELETE", path: "/v2/droplets", answer: removeTagged },
  {
    method: "GET",
    path: "/v2/droplets/:id",
    answer: async (cloud, request) => ({
      status: 200,
      body: { droplet: dropletBody(cloud, await find(cloud, request)) },
    }),
  },
  { method: "DELETE", path: "/v2/droplets/:id", answer: remove },
];
