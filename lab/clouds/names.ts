import { cloudPorts } from "../hosts/network";

export type CloudName = keyof typeof cloudPorts;

export const cloudNames = Object.keys(cloudPorts) as CloudName[];

/** The file in a lab's directory that says that all clouds answer. */
export const cloudsReady = "clouds.ready";
