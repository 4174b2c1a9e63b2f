import type { CloudHostConfig } from "../config/hostSchema";
import type { Cloud } from "./cloud";
import { createDigitalocean } from "./digitalocean";
import { createHetzner } from "./hetzner";

export interface CloudAccess {
  readonly token: string;
  readonly endpoint?: string;
  readonly say?: (line: string) => void;
}

export const createCloud: Readonly<Record<CloudHostConfig["provider"], (access: CloudAccess) => Cloud>> = {
  hetzner: createHetzner,
  digitalocean: createDigitalocean,
};
