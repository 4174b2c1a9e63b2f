import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { StackConfig } from "../config/config";
import { releaseVersion } from "../config/schemaParts";
import type { VersionRules } from "./requiredVersions";

const url = z.url({ protocol: /^https?$/ });

const tableSchema = z.strictObject({
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

const path = "core/chain/requiredVersions.json";

/** Parses the table of required versions. @throws Error that lists each problem */
export function parseRequiredVersions(text: string): Omit<VersionRules, "leastVersion"> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new Error(`${path} is no JSON: ${(error as Error).message}`);
  }
  const parsed = tableSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `  ${issue.path.join(".") || "the whole"}: ${issue.message}`);
  throw new Error([`${path} does not have the needed form`, ...faults].join("\n"));
}

/** Returns the required versions of a stack's nodes. Providers get them as an input. */
export function createVersionRules({ node }: Pick<StackConfig, "node">): VersionRules {
  const text = readFileSync(join(__dirname, "requiredVersions.json"), "utf8");
  return { ...parseRequiredVersions(text), leastVersion: node.leastVersion };
}
