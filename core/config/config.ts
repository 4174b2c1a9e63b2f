import type { z } from "zod";
import { commandsFor } from "../util/commands";
import { project } from "./configFaults";
import { formatIssue, formatNeed } from "./faultText";
import { findValue, type Raw } from "./rawValues";
import { stackSchema } from "./stackSchema";

/** The whole configuration, with defaults. Secrets are plain text: wrap them in pulumi.secret for Pulumi. */
export type StackConfig = z.output<typeof stackSchema> & {
  readonly stack: string;
  /** Overrides the address of the cloud's API. */
  readonly apiEndpoint?: string;
};

/**
 * Parses raw values (keys without `pillar-host:`), and reads private keys' files. Returns a line for each problem.
 * `later`: keys that may be missing now, because the caller sets them later.
 */
export function parseConfig(
  raw: Raw,
  stack: string,
  later: readonly string[] = [],
): { config: StackConfig } | { faults: string[] } {
  // `jitless`, because zod would compile a checker for each block first, which takes longer than one check.
  const { data, error } = stackSchema.safeParse(raw, { jitless: true, error: formatNeed });
  if (data !== undefined) return { config: { ...data, stack } };
  const context = { schema: stackSchema, raw, run: commandsFor(stack) };
  const issues = error.issues.filter(
    ({ path }) => !later.includes(path.join(".")) || findValue(raw, path) !== undefined,
  );
  return { faults: [...new Set(issues.flatMap((issue) => formatIssue(issue, context)))] };
}

const pluginKeys: Readonly<Record<string, readonly [token: string, endpoint: string]>> = {
  hetzner: ["hcloud:token", "hcloud:endpoint"],
  digitalocean: ["digitalocean:token", "digitalocean:apiEndpoint"],
};

/** Picks this program's raw values from all configured ones, and token and endpoint from the cloud plugin's keys. */
export function extractRawConfig(all: Raw): { raw: Raw; apiEndpoint?: string } {
  const own = Object.entries(all).filter(([key]) => key.startsWith(`${project}:`));
  const raw = Object.fromEntries(own.map(([key, value]) => [key.slice(project.length + 1), parseValue(value)]));
  const [tokenKey = "", endpointKey = ""] = pluginKeys[String(findValue(raw, ["host", "provider"]))] ?? [];
  const host = all[tokenKey] ? { host: { token: all[tokenKey], ...(raw.host as object) } } : {};
  return { raw: { ...raw, ...host }, apiEndpoint: (all[endpointKey] as string) || undefined };
}

/** Parses a value from the engine's text: a list or block is JSON, any other value stays as it is. */
function parseValue(value: unknown): unknown {
  if (typeof value !== "string" || !/^[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
