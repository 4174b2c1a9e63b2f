import { cloudPorts } from "../hosts/network.ts";

export type CloudName = keyof typeof cloudPorts;

export const cloudNames = Object.keys(cloudPorts) as CloudName[];

/** File in a lab's directory that appears once all clouds answer. */
export const cloudsReady = "clouds.ready";

/** Tokens that the doubles accept. */
export const cloudTokens = {
  hetzner: "hetznerlab".repeat(7).slice(0, 64),
  digitalocean: `dop_v1_${"0123456789abcdef".repeat(4)}`,
} as const;
