import type { RequestListener } from "node:http";
import { createDigitalOcean } from "./digitalocean";
import { createHetzner } from "./hetzner";
import type { MachineRoom } from "./machineRoom";
import type { CloudName } from "./names";

/** A cloud's API as a request listener. Its servers are in the given machine room. */
export type Cloud = (room: MachineRoom) => RequestListener;

export type Clouds = Readonly<Partial<Record<CloudName, Cloud>>>;

/** Tokens that the doubles accept. */
export const cloudTokens = {
  hetzner: "hetznerlab".repeat(7).slice(0, 64),
  digitalocean: `dop_v1_${"0123456789abcdef".repeat(4)}`,
} as const;

export const doubles: Clouds = {
  hetzner: (room) => createHetzner({ room, tokens: { [cloudTokens.hetzner]: "write" } }).handler,
  digitalocean: (room) => createDigitalOcean({ room, tokens: { [cloudTokens.digitalocean]: "write" } }).handler,
};
