import { readFileSync } from "node:fs";

/** What the lab writes into every test host, so that the doubles there find their world. */
export interface LabHost {
  /** Base address of the chain double's control API. */
  chain: string;
  /** Base address of the release server. */
  release: string;
  /** This host's name in the chain double. */
  name: string;
}

/** Where that file lies in a host. */
export const labHostFile = "/etc/pillar-lab.json";

/** Reads the lab's file; undefined where there is none. */
export function readLabHost(file = labHostFile): LabHost | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as LabHost;
  } catch {
    return undefined;
  }
}
