import { readFileSync } from "node:fs";

/** Settings that the lab writes into every host, so that the doubles there find the lab. */
export interface LabHost {
  /** Base URL of the chain double's control API. */
  chain: string;
  /** Base URL of the release server. */
  release: string;
  /** This host's name in the chain double. */
  name: string;
}

/** Path of the settings file in a host. */
const labHostFile = "/etc/pillar-lab.json";

/** Reads the lab's settings, or returns undefined if there are none. */
export function readLabHost(): LabHost | undefined {
  try {
    return JSON.parse(readFileSync(labHostFile, "utf8")) as LabHost;
  } catch {
    return undefined;
  }
}
