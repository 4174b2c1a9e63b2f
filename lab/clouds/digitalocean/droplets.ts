import { type Answer, type ApiRequest, noContent, ok, type Route } from "../api/http";
import { endActions, pending, start } from "./actions";
import { found, listing } from "./answers";
import { regions, sizes } from "./catalog";
import type { Cloud, Droplet } from "./cloud";
import { createSchema, orderOf } from "./dropletOrder";
import { rulesOf } from "./firewallRules";
import { imageBody, regionBody, sizeBody } from "./offers";

/** Returns a Droplet in the API's form. */
function dropletBody(cloud: Cloud, droplet: Droplet) {
  const size = sizes.find(({ slug }) => slug === droplet.size);
  const region = regions.find(({ slug }) => slug === droplet.region);
  const isShown = droplet.status !== "new" && droplet.address !== undefined && Date.now() >= droplet.addressAt;
  return {
    id: droplet.id,
    name: droplet.name,
    locked: droplet.gone || pending(cloud, droplet) !== undefined,
    status: droplet.status,
    features: [...droplet.features],
    image: imageBody(droplet.image),
    size: size ? sizeBody(size) : null,
    size_slug: droplet.size,
    networks: { v4: isShown ? [{ ip_address: droplet.address, type: "public" }] : [], v6: [] },
    region: region ? regionBody(region) : null,
    tags: [...droplet.tags],
  };
}

async function create(cloud: Cloud, body: unknown): Promise<Answer> {
  const order = orderOf(cloud, createSchema.parse(body));
  const id = cloud.newId();
  const late = cloud.faults.strike("lateAddress")?.seconds ?? 0;
  const droplet: Droplet = {
    id,
    machine: `do${id}`,
    name: order.name,
    status: "new",
    size: order.size.slug,
    region: order.region.slug,
    image: order.image,
    features: order.features,
    tags: new Set(order.tags.map((tag) => cloud.tag(tag))),
    backupPolicy: order.backupPolicy,
    address: undefined,
    addressAt: Date.now() + cloud.timings.create + late * 1000,
    dead: cloud.faults.strike("neverBoots") !== undefined,
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
  start(cloud, droplet, "create", activate, { ms: cloud.timings.create, ready });
  return { status: 202, body: { droplet: dropletBody(cloud, droplet) } };
}

async function boot(cloud: Cloud, droplet: Droplet, userData: string, sshKeys: readonly string[]): Promise<void> {
  const { machine: id, name, image } = droplet;
  const firewall = rulesOf(cloud, droplet);
  droplet.rules = JSON.stringify(firewall);
  const order = { id, name, image: image.slug, userData, sshKeys, firewall };
  const machine = await cloud.room.order(order).catch(() => undefined);
  droplet.address = machine?.address;
  if (machine && droplet.dead) await cloud.room.powerOff(id);
}

/** Returns the Droplet that a path names, with its current status. */
export async function find(cloud: Cloud, request: ApiRequest): Promise<Droplet> {
  const droplet = found(cloud.droplets, request);
  await look(cloud, droplet);
  return droplet;
}

// The provider notices a machine that shut itself down.
async function look(cloud: Cloud, droplet: Droplet): Promise<void> {
  if (droplet.status !== "active" || droplet.dead || pending(cloud, droplet)) return;
  if (!(await cloud.room.isRunning(droplet.machine))) droplet.status = "off";
}

async function list(cloud: Cloud, query: URLSearchParams): Promise<Answer> {
  const tag = query.get("tag_name");
  const shown = [...cloud.droplets.values()].filter((droplet) => tag === null || isTagged(droplet, tag));
  for (const droplet of shown) await look(cloud, droplet);
  return listing(
    "droplets",
    shown.map((droplet) => dropletBody(cloud, droplet)),
  );
}

const isTagged = (droplet: Droplet, tag: string) =>
  [...droplet.tags].some((own) => own.toLowerCase() === tag.toLowerCase());

async function destroy(cloud: Cloud, droplet: Droplet): Promise<void> {
  if (droplet.gone) return;
  const running = pending(cloud, droplet);
  if (running) running.status = "errored";
  droplet.gone = true;
  start(cloud, droplet, "destroy", () => void cloud.droplets.delete(droplet.id), { ms: cloud.timings.delete });
  await cloud.room.remove(droplet.machine);
  await endActions(cloud);
}

export function dropletRoutes(cloud: Cloud): Route[] {
  return [
    ["POST", "/droplets", ({ body }) => create(cloud, body)],
    ["GET", "/droplets", ({ query }) => list(cloud, query)],
    ["GET", "/droplets/:id", async (request) => ok({ droplet: dropletBody(cloud, await find(cloud, request)) })],
    [
      "DELETE",
      "/droplets/:id",
      async (request) => {
        await destroy(cloud, await find(cloud, request));
        return noContent;
      },
    ],
  ];
}
