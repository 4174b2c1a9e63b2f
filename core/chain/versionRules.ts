import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { StackConfig } from "../config/config";
import { releaseVersion } from "../config/schemaParts";

const url = z.url({ protocol: /^https?$/ });

const tableSchema = z.strictObject({
  /** The rows apply only to nodes of the main network. */
  mainNetwork: z.string().regex(/^[0-9a-f]{64}$/, "needed the hash of the main network's first momentum"),
  releases: url,
  rows: z.array(
    z.strictObject({
      fromHeight: z.number().int().positive(),
      leastVersion: releaseVersion,
      why: z.string().min(1),
      release: url,
    }),
  ),
});

type RequiredVersions = z.output<typeof tableSchema>;

export type VersionRules = RequiredVersions & {
  /** The version that pillar-host:node.leastVersion requires on any network. */
  readonly leastVersion?: string | undefined;
};

/** Parses the table of required versions. @throws Error that lists each problem */
export function parseRequiredVersions(text: string): RequiredVersions {
  try {
    return tableSchema.parse(JSON.parse(text));
  } catch (error) {
    const faults = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message;
    throw new Error(`core/chain/requiredVersions.json does not have the needed form\n${faults}`);
  }
}

/** Returns the required versions of a stack's nodes. Providers get them as an input. */
export function createVersionRules({ node }: Pick<StackConfig, "node">): VersionRules {
  const text = readFileSync(join(__dirname, "requiredVersions.json"), "utf8");
  return { ...parseRequiredVersions(text), leastVersion: node.leastVersion };
}
