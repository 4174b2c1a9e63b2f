import type { RequestListener } from "node:http";
import type { MachineRoom } from "./machineRoom";
import type { CloudName } from "./names";

/** A cloud's API: what answers its requests, with servers in the given machine room. */
export type Cloud = (room: MachineRoom) => RequestListener;

export type Clouds = Readonly<Partial<Record<CloudName, Cloud>>>;

/** The doubles of the clouds' APIs. */
export const doubles: Clouds = {};
