import { createHash } from "node:crypto";
import { z } from "zod";
import { type Answer, type ApiRequest, bodyAs, notFound, page, type Route, unprocessable } from "./api";
import type { Cloud, Key } from "./cloud";

const IDS_FROM = 51_000_000;

const keySchema = z.object({ name: z.string().min(1), public_key: z.string().min(1) });

function account(cloud: Cloud): Answer {
  const { droplet_limit, uuid, status, status_message } = cloud.account;
  const team = { uuid, name: "My Team" };
  return {
    status: 200,
    body: {
      account: {
        droplet_limit,
        floating_ip_limit: 3,
        reserved_ip_limit: 3,
        volume_limit: 100,
        email: "operator@example.org",
        name: "Operator",
        uuid,
        email_verified: true,
        status,
        status_message,
        team,
      },
    },
  };
}

function addKey(cloud: Cloud, request: ApiRequest): Answer {
  const { name, public_key } = bodyAs(keySchema, request);
  const fingerprint = fingerprintOf(public_key);
  if ([...cloud.keys.values()].some((key) => key.fingerprint === fingerprint)) {
    throw unprocessable("SSH Key is already in use on your account");
  }
  const key = { id: cloud.ids.number("key", IDS_FROM), name, fingerprint, public_key };
  cloud.keys.set(key.id, key);
  return { status: 201, body: { ssh_key: key } };
}

/** The MD5 of the key's blob: the API knows no newer form. */
export function fingerprintOf(publicKey: string): string {
  const [type = "", blob = ""] = publicKey.trim().split(/\s+/);
  const bytes = Buffer.from(blob, "base64");
  // The blob begins with the length and the name of its own type.
  if (type === "" || bytes.length < 40 || bytes.subarray(4, 4 + type.length).toString() !== type) {
    throw unprocessable("Key invalid, key should be of the format `type key [comment]`");
  }
  return (createHash("md5").update(bytes).digest("hex").match(/../g) as string[]).join(":");
}

/** By number or fingerprint. */
export function findKey(cloud: Cloud, named: string): Key | undefined {
  return [...cloud.keys.values()].find(({ id, fingerprint }) => String(id) === named || fingerprint === named);
}

function key(cloud: Cloud, { params }: ApiRequest): Key {
  const found = findKey(cloud, params.key ?? "");
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

export const accountRoutes: readonly Route[] = [
  { method: "GET", path: "/v2/account", answer: account },
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
];
