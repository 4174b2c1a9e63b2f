import type { z } from "zod";
import { commandsFor } from "../util/commands";
import { project } from "./configFaults";
import { dropMessage, formatIssue } from "./faultText";
import { readKeyFiles } from "./keyFiles";
import type { Raw } from "./rawValues";
import { stackSchema } from "./stackSchema";

/** The whole configuration, with defaults. Secrets are plain text: wrap them in pulumi.secret for Pulumi. */
export type StackConfig = z.output<typeof stackSchema> & {
  readonly stack: string;
  /** Overrides the address of the cloud's API. */
  readonly apiEndpoint?: string;
};

/** Parses raw values (keys without `pillar-host:`), and reads private keys' files. Returns a line for each problem. */
export function parseConfig(
  raw: Readonly<Record<string, unknown>>,
  stack: string,
): { config: StackConfig } | { faults: string[] } {
  const result = checkConfig(raw, stack);
  return "data" in result ? { config: { ...result.data, stack } } : result;
}

/** Checks a configuration in one pass. `later`: keys that may be missing now, because the caller sets them later. */
export function checkConfig(
  raw: Raw,
  stack: string,
  later: readonly string[] = [],
): { data: z.output<typeof stackSchema> } | { faults: string[] } {
  const keys = readKeyFiles(raw);
  // `jitless`, because zod would compile a checker for each block first, which takes longer than one check.
  const result = stackSchema.safeParse(keys.raw, { reportInput: true, jitless: true, error: dropMessage });
  if (result.success && keys.faults.length === 0) return { data: result.data };
  const context = { schema: stackSchema, raw: keys.raw, run: commandsFor(stack) };
  const issues = (result.error?.issues ?? []).filter(
    (issue) => !(issue.code === "custom" && issue.params?.isToBeSet === true && later.includes(issue.path.join("."))),
  );
  return { faults: [...new Set(issues.flatMap((issue) => formatIssue(issue, context))), ...keys.faults] };
}

/** Picks this program's raw values from all configured ones, and token and endpoint from the cloud plugin's keys. */
export function extractRawConfig(all: Readonly<Record<string, string>>): {
  raw: Record<string, unknown>;
  apiEndpoint?: string;
} {
  const raw: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(all)) {
    if (key.startsWith(`${project}:`)) raw[key.slice(project.length + 1)] = parseValue(value);
  }
  const { apiEndpoint, token } = readPluginKeys(raw.host, all);
  if (token !== undefined) raw.host = { token, ...(raw.host as object) };
  return { raw, apiEndpoint };
}

/** Parses a value from the engine's text: a list or block is JSON, any other value stays a text. */
function parseValue(value: string): unknown {
  if (!/^[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

const pluginKeys: Readonly<Record<string, readonly [token: string, endpoint: string]>> = {
  hetzner: ["hcloud:token", "hcloud:endpoint"],
  digitalocean: ["digitalocean:token", "digitalocean:apiEndpoint"],
};

function readPluginKeys(
  host: unknown,
  all: Readonly<Record<string, string>>,
): { apiEndpoint?: string; token?: string } {
  const { provider } = (host ?? {}) as { readonly provider?: unknown };
  const [token, apiEndpoint] = (pluginKeys[String(provider)] ?? []).map((key) => all[key]);
  return { apiEndpoint: apiEndpoint || undefined, token: token || undefined };
}
