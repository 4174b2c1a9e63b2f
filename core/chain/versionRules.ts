import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { StackConfig } from "../config/config";

interface RequiredVersions {
  /** The hash of the main network's first momentum: the rows apply only to its nodes. */
  readonly mainNetwork: string;
  /** The address of the page with all releases. */
  readonly releases: string;
  readonly rows: readonly Readonly<{ fromHeight: number; leastVersion: string; why: string; release: string }>[];
}

export type VersionRules = RequiredVersions & {
  /** The version that pillar-host:node.leastVersion requires on any network. */
  readonly leastVersion?: string | undefined;
};

/** Returns the required versions of a stack's nodes. Providers get them as an input. */
export function createVersionRules({ node }: Pick<StackConfig, "node">): VersionRules {
  const table: RequiredVersions = JSON.parse(readFileSync(join(__dirname, "requiredVersions.json"), "utf8"));
  return { ...table, leastVersion: node.leastVersion };
}
