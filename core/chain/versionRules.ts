import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { StackConfig } from "../config/config.ts";
import { ProblemError } from "../util/problem.ts";

const table = "core/chain/requiredVersions.json";
const text = (needed: string, pattern = /\S/) => z.string(needed).regex(pattern, needed);
const hash = text("a hash of 64 hexadecimal digits", /^[0-9a-f]{64}$/);
const address = text("an https address", /^https:\/\/\S+$/);

const tableSchema = z.object({
  /** The hash of the main network's first momentum: the rows apply only to its nodes. */
  mainNetwork: hash,
  /** The repository that the main network's nodes are built from. */
  source: address,
  /** The address of the page with all releases. */
  releases: address,
  rows: z
    .object({
      fromHeight: z.int("a number without quotes and commas, such as 14567887"),
      leastVersion: text('the version of a release, such as "v0.0.10"', /^v\d+\.\d+\.\d+$/),
      why: text("the reason in quotes"),
      release: address,
    })
    .array(),
  /** Ids of the sporks that each version has code for (go-zenon, common/types/spork.go). */
  sporks: z.record(text('the version of a release, such as "v0.0.10"', /^v\d+\.\d+\.\d+$/), hash.array()),
});

type VersionTable = z.infer<typeof tableSchema>;

export type VersionRules = Omit<VersionTable, "sporks"> & {
  /** The version that pillar-host:node.leastVersion requires on any network. */
  readonly leastVersion?: string | undefined;
};

/** Returns the required versions of a stack's nodes. Providers get them as an input. @throws for an unreadable table */
export function createVersionRules({ node }: Pick<StackConfig, "node">): VersionRules {
  const { sporks: _, ...rules } = readRequiredVersions();
  return { ...rules, leastVersion: node.leastVersion };
}

/** Reads the table, which operators edit. @throws Error for the operator: an unreadable row would never apply */
export function readRequiredVersions(file = join(import.meta.dirname, "requiredVersions.json")): VersionTable {
  try {
    return tableSchema.parse(JSON.parse(readFileSync(file, "utf8")), {
      error: () => "it in the form of the shipped file",
      reportInput: true,
    });
  } catch (error) {
    const [issue] = error instanceof z.ZodError ? error.issues : [];
    const parts = issue?.path.map((part) => (typeof part === "number" ? `row ${part + 1}` : String(part))) ?? [];
    throw new ProblemError({
      what: `${[table, ...parts].join(", ")}: can't be read, so nobody knows which versions the network requires`,
      found: issue ? (JSON.stringify(issue.input) ?? "nothing") : (error as Error).message,
      needed: `write ${issue?.message ?? "valid JSON"}; or restore the file: git checkout ${table}`,
    });
  }
}
