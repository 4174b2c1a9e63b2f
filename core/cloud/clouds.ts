import type { CloudHostConfig } from "../config/hostSchema";
import type { Cloud } from "./cloud";
import { createDigitalocean } from "./digitalocean";
import { createHetzner } from "./hetzner";
import type { CloudAccess } from "./http";

export const createCloud: Readonly<Record<CloudHostConfig["provider"], (access: CloudAccess) => Cloud>> = {
  hetzner: createHetzner,
  digitalocean: createDigitalocean,
};
