import { createHash } from "node:crypto";
import { z } from "zod";
import { ApiError, invalidInput, notUnique } from "./apiError";
import { type Cloud, checkLabels, found } from "./cloud";
import { created, noContent, ok, type Route } from "./http";
import type { Labels } from "./labelSelector";
import { listing } from "./listing";

/** A public key, as the API answers it. */
export interface SshKey {
  readonly id: number;
  readonly name: string;
  readonly fingerprint: string;
  readonly public_key: string;
  readonly labels: Labels;
  readonly created: string;
}

const labels = z.record(z.string(), z.string()).optional();
const createSchema = z.object({ name: z.string().min(1), public_key: z.string(), labels });
const updateSchema = z.object({ name: z.string().min(1).optional(), labels });

function fingerprintOf(publicKey: string): string {
  const [type, blob = ""] = publicKey.trim().split(/\s+/);
  const bytes = Buffer.from(blob, "base64");
  // The blob begins with the length of its type, and the type.
  if (!type || bytes.length < 16 || bytes.toString("latin1", 4, 4 + type.length) !== type) {
    throw invalidInput("public_key", "public key is invalid");
  }
  const digest = createHash("md5").update(bytes).digest("hex");
  return digest.match(/../g)?.join(":") ?? "";
}

export function sshKeyRoutes(cloud: Cloud): Route[] {
  const { sshKeys } = cloud;
  const unique = (name: string | undefined, except?: number) => {
    if ([...sshKeys.values()].some((key) => key.name === name && key.id !== except)) throw notUnique("SSH key name");
  };
  return [
    [
      "GET",
      "/ssh_keys",
      ({ query }) => {
        const fingerprint = query.get("fingerprint");
        const all = [...sshKeys.values()].filter((key) => fingerprint === null || key.fingerprint === fingerprint);
        return listing("ssh_keys", all, query);
      },
    ],
    ["GET", "/ssh_keys/:id", ({ params }) => ok({ ssh_key: found(sshKeys, params.id, "SSH key") })],
    [
      "POST",
      "/ssh_keys",
      ({ body }) => {
        const given = createSchema.parse(body);
        const fingerprint = fingerprintOf(given.public_key);
        unique(given.name);
        if ([...sshKeys.values()].some((key) => key.fingerprint === fingerprint)) {
          throw new ApiError(409, "uniqueness_error", "SSH key with the same fingerprint already exists", {
            fields: [{ name: "public_key" }],
          });
        }
        cloud.faults.limit("ssh_keys", sshKeys.size);
        const key: SshKey = {
          id: cloud.newId(),
          name: given.name,
          fingerprint,
          public_key: given.public_key.trim(),
          labels: checkLabels(given.labels),
          created: cloud.clock.stamp(),
        };
        sshKeys.set(key.id, key);
        return created({ ssh_key: key });
      },
    ],
    [
      "PUT",
      "/ssh_keys/:id",
      ({ params, body }) => {
        const key = found(sshKeys, params.id, "SSH key");
        const given = updateSchema.parse(body);
        if (given.name !== undefined) unique(given.name, key.id);
        const changed = { ...key, name: given.name ?? key.name, labels: checkLabels(given.labels ?? key.labels) };
        sshKeys.set(key.id, changed);
        return ok({ ssh_key: changed });
      },
    ],
    [
      "DELETE",
      "/ssh_keys/:id",
      ({ params }) => {
        sshKeys.delete(found(sshKeys, params.id, "SSH key").id);
        return noContent;
      },
    ],
  ];
}
