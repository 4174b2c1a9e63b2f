import type { CloudHostConfig } from "../config/hostSchema";
import type { Cloud } from "./cloud";
import { createDigitalocean } from "./digitalocean";
import { createHetzner } from "./hetzner";

/** What a cloud's API is reached with. */
export interface CloudAccess {
  readonly token: string;
  readonly endpoint?: string;
  readonly say?: (line: string) => void;
}

/** The client of each cloud provider that pillar-host:host.provider may name. */
export const createCloud: Readonly<Record<CloudHostConfig["provider"], (access: CloudAccess) => Cloud>> = {
  hetzner: createHetzner,
  digitalocean: createDigitalocean,
};
