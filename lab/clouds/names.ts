import type { cloudPorts } from "../hosts/network";

export type CloudName = keyof typeof cloudPorts;

/** The file in a lab's directory that says that all clouds answer. */
export const cloudsReady = "clouds.ready";
