import type { z } from "zod";
import { type Commands, commandsFor } from "../util/commands.ts";
import { isLoopback, parseHostPort } from "../util/hostPort.ts";
import { parseJson } from "../util/parseJson.ts";
import { project } from "./configFaults.ts";
import { listSchemaKeys, readMeta } from "./schemaKeys.ts";
import { stackSchema } from "./stackSchema.ts";

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
  const context = { raw, run: commandsFor(stack) };
  const issues = error.issues.filter(
    ({ path }) => !later.includes(path.join(".")) || findValue(raw, path) !== undefined,
  );
  return { faults: [...new Set(issues.flatMap((issue) => formatIssue(issue, context)))] };
}

const pluginKeys: Readonly<Record<string, readonly [token: string, endpoint: string]>> = {
  hetzner: ["hcloud:token", "hcloud:endpoint"],
  digitalocean: ["digitalocean:token", "digitalocean:apiEndpoint"],
};

/** Returns the keys of all values that a run needs: this program's, and those of the cloud plugins. */
export function listKeysOfRun(): string[] {
  const own = listSchemaKeys(stackSchema).map(({ path: [key] }) => `${project}:${key}`);
  return [...new Set(own), ...Object.values(pluginKeys).flat()];
}

/** Picks this program's raw values from all configured ones, and token and endpoint from the cloud plugin's keys. */
export function extractRawConfig(all: Raw): { raw: Raw; apiEndpoint?: string } {
  const own = Object.entries(all).filter(([key]) => key.startsWith(`${project}:`));
  const raw = Object.fromEntries(own.map(([key, value]) => [key.slice(project.length + 1), parseValue(value)]));
  const [tokenKey = "", endpointKey = ""] = pluginKeys[String(findValue(raw, ["host", "provider"]))] ?? [];
  const host = all[tokenKey] ? { host: { token: all[tokenKey], ...(raw.host as object) } } : {};
  return { raw: { ...raw, ...host }, apiEndpoint: (all[endpointKey] as string) || undefined };
}

/** Parses all configured values, the cloud plugin's among them. Returns a line for each problem. */
export function parseWholeConfig(all: Raw, stack: string): { config: StackConfig } | { faults: string[] } {
  const { raw, apiEndpoint } = extractRawConfig(all);
  const parsed = parseConfig(raw, stack);
  const fault = apiEndpoint === undefined ? undefined : findEndpointFault(apiEndpoint);
  if (fault !== undefined) return { faults: [...("faults" in parsed ? parsed.faults : []), fault] };
  return "config" in parsed && apiEndpoint ? { config: { ...parsed.config, apiEndpoint } } : parsed;
}

/** Returns why a cloud's API may not be asked at this address: whoever changes the stack's file would get the token. */
function findEndpointFault(endpoint: string): string | undefined {
  const { protocol } = URL.canParse(endpoint) ? new URL(endpoint) : {};
  if (protocol === "https:" || (protocol === "http:" && isLoopback(parseHostPort(endpoint).host))) return undefined;
  return "the address of the cloud's API (hcloud:endpoint or digitalocean:apiEndpoint): found another than https, needed https, because the API token goes there";
}

/** Parses a value from the engine's text: a list or block is JSON, any other value stays as it is. */
function parseValue(value: unknown): unknown {
  return typeof value === "string" && /^[[{]/.test(value) ? (parseJson(value) ?? value) : value;
}

/** `raw`: values by key, without `pillar-host:`. */
type FaultContext = { readonly raw: Raw; readonly run: Commands };

const kinds: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a block",
};

/** Words what is needed where the schema has no message of its own, for zod's option `error`. */
const formatNeed: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "invalid_type":
      return `needed ${kinds[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `needed ${issue.values.join(" or ")}`;
    case "invalid_union":
      return `needed ${[issue.options ?? []].flat().join(" or ")}`;
    case "too_small":
      return `needed ${issue.inclusive ? "at least" : "more than"} ${issue.minimum}`;
    case "too_big":
      return `needed ${issue.inclusive ? "at most" : "less than"} ${issue.maximum}`;
  }
};

/** Formats an issue of zod: the key, what was found and what is needed. */
function formatIssue(issue: z.core.$ZodIssue, context: FaultContext): string[] {
  const { path, code, message } = issue;
  const at = (key: readonly PropertyKey[]) => `${project}:${key.join(".")}`;
  if (code === "unrecognized_keys")
    return issue.keys.map((key) => `${at([...path, key])}: ${formatUnknownKey(key, path, context)}`);
  const { description, form, secret } = findMeta(path);
  const value = findValue(context.raw, path);
  const isMissing = value === undefined || value === "";
  const cure = secret ? ` (${context.run.setSecret(path.join("."))})` : "";
  if (isMissing && code === "invalid_type") return [`${at(path)}: missing, needed: ${description}${cure}`];
  // A text in place of a block may be a secret.
  const isHidden = secret || (code === "invalid_type" && issue.expected === "object");
  const found = isMissing ? "missing" : `found ${formatValue(value, isHidden)}`;
  const quotes = code === "invalid_type" ? formatQuotes(issue.expected, value) : "";
  const more = code === "invalid_type" && form !== undefined ? ` (${form})` : "";
  return [`${at(path)}: ${message.startsWith("needed ") ? `${found}, ` : ""}${message}${quotes}${more}${cure}`];
}

/** Returns how to write a value of a wrong type: YAML takes 7 for a number, and "7" for a text. */
function formatQuotes(expected: string, value: unknown): string {
  if (expected === "string" && /^(number|boolean)$/.test(typeof value)) return ", in quotes in the stack's file";
  const isPlain = typeof value === "string" && /^(-?\d+(\.\d+)?|true|false)$/.test(value);
  return isPlain && /^(number|int|boolean)$/.test(expected) ? ", without quotes in the stack's file" : "";
}

function findMeta(path: readonly PropertyKey[]) {
  const name = path.filter((step) => typeof step === "string").join(".");
  const key = listSchemaKeys(stackSchema).find((each) => each.path.join(".") === name);
  return key === undefined ? {} : readMeta(key.schema);
}

function formatUnknownKey(key: string, block: readonly PropertyKey[], { run }: FaultContext): string {
  if (block.length === 0 && key.includes("."))
    return `was set without --path. Set it again with --path, then: ${run.removePlain(key)}`;
  const path = [...block, key].join(".");
  const isOfOtherProvider = listSchemaKeys(stackSchema).some((each) => each.path.join(".") === path);
  return isOfOtherProvider ? "no such key with this host.provider" : "no such key";
}

/** Matches a text that may hold a secret: an address with user or path, or a long word, as tokens and hashes are. */
const maybeSecret = /@|:\/|^https?:|[A-Za-z0-9+=_-]{32}|[\r\n]/;

/** Returns a number as it is, and a text in quotes, so that a blank at its end shows. Of what may be a secret, only the kind. */
function formatValue(value: unknown, isSecret = false): string {
  if (value === null) return "nothing";
  if (!isSecret && ["number", "boolean"].includes(typeof value)) return String(value);
  if (typeof value !== "string") return kinds[Array.isArray(value) ? "array" : typeof value] ?? "another value";
  if (!isSecret && value.length <= 80 && !maybeSecret.test(value)) return JSON.stringify(value);
  return value.trim() === value ? "text" : "text with a blank before or after it";
}

export type Raw = Readonly<Record<string, unknown>>;

export function findValue(raw: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, step) => (value as Raw | null | undefined)?.[String(step)], raw);
}

export function setValue(raw: Raw, [step = "", ...below]: readonly string[], value: unknown): Raw {
  return { ...raw, [step]: below.length === 0 ? value : setValue((raw[step] ?? {}) as Raw, below, value) };
}
