import { createHash } from "node:crypto";
import { z } from "zod";
import { ApiError, created, noContent, ok, type Route } from "../api/http";
import { notUnique } from "./apiError";
import { type Cloud, found } from "./cloud";
import { listing } from "./listing";
import type { SshKey } from "./resources";

const createSchema = z.object({
  name: z.string().min(1),
  public_key: z.string(),
  labels: z.record(z.string(), z.string()).optional(),
});

const bareKey = (publicKey: string) => publicKey.trim().split(/\s+/).slice(0, 2).join(" ");

export function sshKeyRoutes(cloud: Cloud): Route[] {
  const { sshKeys } = cloud;
  return [
    ["GET", "/ssh_keys", ({ query }) => listing("ssh_keys", [...sshKeys.values()], query)],
    ["GET", "/ssh_keys/:id", ({ params }) => ok({ ssh_key: found(sshKeys, params.id, "SSH key") })],
    [
      "POST",
      "/ssh_keys",
      ({ body }) => {
        const given = createSchema.parse(body);
        const fingerprint = createHash("md5").update(bareKey(given.public_key)).digest("hex");
        if ([...sshKeys.values()].some(({ name }) => name === given.name)) throw notUnique("SSH key name");
        if ([...sshKeys.values()].some((key) => key.fingerprint === fingerprint)) {
          throw new ApiError(409, "uniqueness_error", "SSH key with the same fingerprint already exists", {
            fields: [{ name: "public_key" }],
          });
        }
        const key: SshKey = {
          id: cloud.newId(),
          name: given.name,
          fingerprint,
          public_key: given.public_key.trim(),
          labels: given.labels ?? {},
        };
        sshKeys.set(key.id, key);
        return created({ ssh_key: key });
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
