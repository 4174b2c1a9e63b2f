import type * as pulumi from "@pulumi/pulumi";
import type { Cloud, CloudInventory } from "../../core/cloud/cloud";
import { createCloud } from "../../core/cloud/clouds";
import type { CloudAccess } from "../../core/cloud/http";
import type { CloudHostConfig } from "../../core/config/hostSchema";
import type { CloudParts } from "./cloudParts";
import { createDigitaloceanParts } from "./digitalocean";
import { createHetznerParts } from "./hetzner";

/** A cloud provider: the client that reads from it, and the resources of its plugin. */
interface CloudProvider {
  readonly createCloud: (access: CloudAccess) => Cloud;
  readonly createParts: (
    token: string,
    endpoint: string | undefined,
    found: CloudInventory,
    /** Options of the plugin's provider resource, on which all others depend. */
    around?: pulumi.ResourceOptions,
  ) => CloudParts;
}

export const cloudProviders: Readonly<Record<CloudHostConfig["provider"], CloudProvider>> = {
  hetzner: { createCloud: createCloud.hetzner, createParts: createHetznerParts },
  digitalocean: { createCloud: createCloud.digitalocean, createParts: createDigitaloceanParts },
};
