import { createHash } from "node:crypto";
import { z } from "zod";
import { type Answer, type ApiRequest, bodyAs, notFound, page, type Route, unprocessable } from "./api";
import type { Cloud, Key } from "./cloud";

const keySchema = z.object({ name: z.string().min(1), public_key: z.string().min(1) });
const tagSchema = z.object({ name: z.string().regex(/^[\w:-]{1,255}$/) });

const bareKey = (publicKey: string) => publicKey.trim().split(/\s+/).slice(0, 2).join(" ");

function addKey(cloud: Cloud, request: ApiRequest): Answer {
  const { name, public_key } = bodyAs(keySchema, request);
  if ([...cloud.keys.values()].some((key) => bareKey(key.public_key) === bareKey(public_key)))
    throw unprocessable("SSH Key is already in use on your account");
  const fingerprint = createHash("md5").update(bareKey(public_key)).digest("hex");
  const key = { id: cloud.newId(), name, fingerprint, public_key };
  cloud.keys.set(key.id, key);
  return { status: 201, body: { ssh_key: key } };
}

function key(cloud: Cloud, { params }: ApiRequest): Key {
  const found = cloud.keys.get(Number(params.key));
  if (!found) throw notFound();
  return found;
}

function renameKey(cloud: Cloud, request: ApiRequest): Answer {
  const found = key(cloud, request);
  found.name = bodyAs(keySchema.pick({ name: true }), request).name;
  return { status: 200, body: { ssh_key: found } };
}

function removeKey(cloud: Cloud, request: ApiRequest): Answer {
  cloud.keys.delete(key(cloud, request).id);
  return { status: 204 };
}

function tagBody(cloud: Cloud, name: string) {
  const { length: count } = [...cloud.droplets.values()].filter(({ tags }) => tags.has(name));
  return { name, resources: { count, droplets: { count } } };
}

function namedTag(cloud: Cloud, { params }: ApiRequest): string {
  const name = cloud.tags.get((params.tag ?? "").toLowerCase());
  if (name === undefined) throw notFound();
  return name;
}

function removeTag(cloud: Cloud, request: ApiRequest): Answer {
  const name = namedTag(cloud, request);
  cloud.tags.delete(name.toLowerCase());
  for (const { tags } of cloud.droplets.values()) tags.delete(name);
  for (const firewall of cloud.firewalls.values()) firewall.tags = firewall.tags.filter((tag) => tag !== name);
  return { status: 204 };
}

export const accountRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/v2/account/keys",
    answer: (cloud, request) => page(request, "ssh_keys", [...cloud.keys.values()]),
  },
  { method: "POST", path: "/v2/account/keys", answer: addKey },
  {
    method: "GET",
    path: "/v2/account/keys/:key",
    answer: (cloud, request) => ({ status: 200, body: { ssh_key: key(cloud, request) } }),
  },
  { method: "PUT", path: "/v2/account/keys/:key", answer: renameKey },
  { method: "DELETE", path: "/v2/account/keys/:key", answer: removeKey },
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
  {
    method: "POST",
    path: "/v2/tags",
    answer: (cloud, request) => {
      const { name } = bodyAs(tagSchema, request);
      return { status: 201, body: { tag: tagBody(cloud, cloud.tag(name)) } };
    },
  },
  {
    method: "GET",
    path: "/v2/tags/:tag",
    answer: (cloud, request) => ({ status: 200, body: { tag: tagBody(cloud, namedTag(cloud, request)) } }),
  },
  { method: "DELETE", path: "/v2/tags/:tag", answer: removeTag },
];
