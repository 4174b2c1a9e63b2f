import { existsSync } from "node:fs";
import { parseWholeConfig, type Raw, type StackConfig } from "../../core/config/config.ts";
import { formatConfigFaults } from "../../core/config/configFaults.ts";
import { ProblemError } from "../../core/util/problem.ts";
import { resolveStackFilePath, shortenStackName } from "./stackName.ts";

/** Parses the output of `pulumi config --json --show-secrets`: values by key, all projects' keys among them. */
export function parseRawValues(text: string): Raw {
  const entries = Object.entries(JSON.parse(text) as Record<string, { value?: string }>);
  const values = entries.flatMap(([key, { value }]) => (value === undefined ? [] : [[key, value] as const]));
  return Object.fromEntries(values);
}

/** Parses a stack's configuration. @throws Refusal that names every problem, as `pulumi up` does */
export function parseConfiguration(stack: string, text: string): StackConfig {
  const parsed = parseWholeConfig(parseRawValues(text), shortenStackName(stack));
  if ("config" in parsed) return parsed.config;
  const file = resolveStackFilePath(stack);
  if (!existsSync(file))
    throw new ProblemError({
      what: `the settings of stack ${shortenStackName(stack)} are missing`,
      found: `no file ${file}`,
      needed: "copy it from the machine that has it (docs/unattended.md)",
    });
  throw new ProblemError({ what: formatConfigFaults(stack, parsed.faults, "", "the command") });
}
