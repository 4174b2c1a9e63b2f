import { cloudPorts } from "../hosts/network";

export type CloudName = keyof typeof cloudPorts;

export const cloudNames = Object.keys(cloudPorts) as CloudName[];

/** File in a lab's directory that appears once all clouds answer. */
export const cloudsReady = "clouds.ready";
