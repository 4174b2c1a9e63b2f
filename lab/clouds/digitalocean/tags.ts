import { z } from "zod";
import { type Answer, type ApiRequest, bodyAs, notFound, page, type Route, unprocessable } from "./api";
import type { Cloud, Droplet } from "./cloud";

const nameSchema = z.object({ name: z.string() });
const resourcesSchema = z.object({
  resources: z.array(z.object({ resource_id: z.string(), resource_type: z.string() })),
});

/** Refuses what is no name for a tag. */
export function checkTag(name: string): void {
  if (/^[\w:-]{1,255}$/.test(name)) return;
  throw unprocessable("Tag name is invalid: only letters, numbers, colons, dashes and underscores are allowed.");
}

function tagBody(cloud: Cloud, name: string): unknown {
  const tagged = [...cloud.droplets.values()].filter(({ tags }) => tags.has(name));
  const last = tagged.at(-1);
  const none = { count: 0 };
  const droplets = {
    count: tagged.length,
    last_tagged_uri: last ? `https://api.digitalocean.com/v2/droplets/${last.id}` : "",
    last_tagged: null,
  };
  const others = { images: none, volumes: none, volume_snapshots: none, databases: none };
  const { count, last_tagged_uri } = droplets;
  return { name, resources: { count, last_tagged_uri, droplets, ...others } };
}

function named(cloud: Cloud, { params }: ApiRequest): string {
  const name = cloud.tags.get((params.tag ?? "").toLowerCase());
  if (name === undefined) throw notFound();
  return name;
}

function create(cloud: Cloud, request: ApiRequest): Answer {
  const { name } = bodyAs(nameSchema, request);
  checkTag(name);
  return { status: 201, body: { tag: tagBody(cloud, cloud.tag(name)) } };
}

function remove(cloud: Cloud, request: ApiRequest): Answer {
  const name = named(cloud, request);
  cloud.tags.delete(name.toLowerCase());
  for (const { tags } of cloud.droplets.values()) tags.delete(name);
  for (const firewall of cloud.firewalls.values()) firewall.tags = firewall.tags.filter((tag) => tag !== name);
  return { status: 204 };
}

function changed(change: (droplet: Droplet, name: string) => void) {
  return (cloud: Cloud, request: ApiRequest): Answer => {
    const name = named(cloud, request);
    for (const { resource_id, resource_type } of bodyAs(resourcesSchema, request).resources) {
      const droplet = cloud.droplets.get(Number(resource_id));
      if (resource_type !== "droplet" || !droplet) throw unprocessable(`${resource_type} ${resource_id} is not found.`);
      change(droplet, name);
    }
    return { status: 204 };
  };
}

export const tagRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/v2/tags",
    answer: (cloud, request) =>
      page(
        request,
        "tags",
        [...cloud.tags.values()].map((name) => tagBody(cloud, name)),
      ),
  },
  { method: "POST", path: "/v2/tags", answer: create },
  {
    method: "GET",
    path: "/v2/tags/:tag",
    answer: (cloud, request) => ({ status: 200, body: { tag: tagBody(cloud, named(cloud, request)) } }),
  },
  { method: "DELETE", path: "/v2/tags/:tag", answer: remove },
  { method: "POST", path: "/v2/tags/:tag/resources", answer: changed(({ tags }, name) => tags.add(name)) },
  { method: "DELETE", path: "/v2/tags/:tag/resources", answer: changed(({ tags }, name) => tags.delete(name)) },
];
