import { createHash } from "node:crypto";
import { z } from "zod";
import { created, noContent, ok, type Route } from "../api/http";
import { found, listing, notFound, unprocessable } from "./answers";
import type { Cloud, Key } from "./cloud";

const keySchema = z.object({ name: z.string().min(1), public_key: z.string().min(1) });
const tagSchema = z.object({ name: z.string().regex(/^[\w:-]{1,255}$/) });

const bareKey = (publicKey: string) => publicKey.trim().split(/\s+/).slice(0, 2).join(" ");

function addKey(cloud: Cloud, body: unknown): Key {
  const { name, public_key } = keySchema.parse(body);
  if ([...cloud.keys.values()].some((key) => bareKey(key.public_key) === bareKey(public_key)))
    throw unprocessable("SSH Key is already in use on your account");
  const fingerprint = createHash("md5").update(bareKey(public_key)).digest("hex");
  const key = { id: cloud.newId(), name, fingerprint, public_key };
  cloud.keys.set(key.id, key);
  return key;
}

function tagBody(cloud: Cloud, name: string) {
  const { length: count } = [...cloud.droplets.values()].filter(({ tags }) => tags.has(name));
  return { name, resources: { count, droplets: { count } } };
}

function namedTag(cloud: Cloud, tag = ""): string {
  const name = cloud.tags.get(tag.toLowerCase());
  if (name === undefined) throw notFound();
  return name;
}

function removeTag(cloud: Cloud, name: string): void {
  cloud.tags.delete(name.toLowerCase());
  for (const { tags } of cloud.droplets.values()) tags.delete(name);
  for (const firewall of cloud.firewalls.values()) firewall.tags = firewall.tags.filter((tag) => tag !== name);
}

export function accountRoutes(cloud: Cloud): Route[] {
  return [
    ["GET", "/account/keys", () => listing("ssh_keys", [...cloud.keys.values()])],
    ["POST", "/account/keys", ({ body }) => created({ ssh_key: addKey(cloud, body) })],
    ["GET", "/account/keys/:id", (request) => ok({ ssh_key: found(cloud.keys, request) })],
    [
      "DELETE",
      "/account/keys/:id",
      (request) => {
        cloud.keys.delete(found(cloud.keys, request).id);
        return noContent;
      },
    ],
    [
      "GET",
      "/tags",
      () =>
        listing(
          "tags",
          [...cloud.tags.values()].map((name) => tagBody(cloud, name)),
        ),
    ],
    ["POST", "/tags", ({ body }) => created({ tag: tagBody(cloud, cloud.tag(tagSchema.parse(body).name)) })],
    ["GET", "/tags/:tag", ({ params }) => ok({ tag: tagBody(cloud, namedTag(cloud, params.tag)) })],
    [
      "DELETE",
      "/tags/:tag",
      ({ params }) => {
        removeTag(cloud, namedTag(cloud, params.tag));
        return noContent;
      },
    ],
  ];
}
