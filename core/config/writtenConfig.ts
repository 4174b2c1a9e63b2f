import { readFileSync } from "node:fs";
import { project } from "./configFaults";

/** Reads the stack's file, if it is there; an encrypted value is a block with the key `secure`. */
export function readStackFile(directory: string, stack: string): Record<string, unknown> | undefined {
  // Required where it is needed: most runs do without.
  const { parse } = require("yaml") as typeof import("yaml");
  try {
    const { config } = parse(readFileSync(`${directory}/Pulumi.${stack}.yaml`, "utf8")) as { config?: object };
    const own = Object.entries(config ?? {}).filter(([key]) => key.startsWith(`${project}:`));
    return Object.fromEntries(own.map(([key, value]) => [key.slice(project.length + 1), value]));
  } catch {
    return undefined;
  }
}
