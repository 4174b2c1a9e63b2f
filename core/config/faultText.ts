import { closest, distance } from "fastest-levenshtein";
import type { z } from "zod";
import { type Commands, someHostKey } from "../util/commands";
import { type FaultCure, formatCure, project } from "./configFaults";
import { findValue } from "./rawValues";
import { findSchema, listShapes, readMeta, readVariant, type Schema } from "./schemaKeys";

interface FaultContext {
  readonly schema: Schema;
  /** Values by key, without `pillar-host:`. */
  readonly raw: Readonly<Record<string, unknown>>;
  readonly run: Commands;
}

const ownText = "";

/** Drops zod's own message for kinds of faults that this file words itself. Messages of the schema stay. */
export function dropMessage({ code }: { readonly code?: string }): string | undefined {
  return ["invalid_value", "too_small", "too_big"].includes(code ?? "") ? ownText : undefined;
}

export function formatIssue(issue: z.core.$ZodIssue, context: FaultContext): string[] {
  const at = (path: readonly PropertyKey[]) => `${project}:${path.map(String).join(".")}`;
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => `${at([...issue.path, key])}: ${formatUnknownKey(key, issue.path, context)}`);
  return [`${at(issue.path)}: ${formatFault(issue, context)}`];
}

function formatFault(issue: z.core.$ZodIssue, context: FaultContext): string {
  const { run } = context;
  const key = settable(issue.path);
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? formatMissing(issue.path, context) : formatWrongType(issue, context);
    case "invalid_value":
      if (issue.message !== ownText) return formatWithFound(issue, context);
      return formatChoice(key, issue.input, issue.values.map(String), run);
    case "invalid_union": {
      if (!("options" in issue) || issue.options === undefined) {
        const { form = "another value", examples = [] } = findMeta(issue.path, context) as ReturnType<typeof readMeta>;
        return `found ${describeKind(issue.input)}, needed a ${form}${examples[0] === undefined ? "" : `, such as ${examples[0]}`}`;
      }
      const block = (issue.input ?? {}) as Readonly<Record<string, unknown>>;
      return formatChoice(key, block[String(issue.path.at(-1))], issue.options.map(String), run);
    }
    case "too_small":
      if (issue.origin === "string") return "is empty";
      return formatRange(issue, `${issue.inclusive ? "at least" : "more than"} ${issue.minimum}`);
    case "too_big":
      return formatRange(issue, `${issue.inclusive ? "at most" : "less than"} ${issue.maximum}`);
    case "custom":
      if (issue.params?.isLogin === true) return `${issue.message}. ${loginQuestion(context)}`;
      if (issue.params?.isToBeSet === true) return `${issue.message} (${run.setSecret(key)})`;
      return `${formatWithFound(issue, context)}${issue.params?.cure ? ` (${formatCure(issue.params.cure as FaultCure, run)})` : ""}`;
    default:
      return formatWithFound(issue, context);
  }
}

/** Formats a path for `pulumi config set --path`. */
const settable = (path: readonly PropertyKey[]) =>
  path.map((step, i) => (typeof step === "number" ? `[${step}]` : `${i === 0 ? "" : "."}${String(step)}`)).join("");

function findMeta(path: readonly PropertyKey[], { schema }: FaultContext) {
  const inner = findSchema(schema, path);
  // Treats an unknown key as secret, because the value may be one.
  return inner === undefined ? { secret: true } : readMeta(inner);
}

function formatUnknownKey(key: string, block: readonly PropertyKey[], context: FaultContext): string {
  const { schema, raw, run } = context;
  const steps = key.split(".");
  if (block.length === 0 && steps.length > 1 && findSchema(schema, steps) !== undefined) {
    const set = findMeta(steps, context).secret ? run.setSecret(key) : run.setTo(key, placeholder(steps));
    return `was set without --path, which makes it a key of its own. Set it again: ${set} && ${run.removePlain(key)}`;
  }
  const provider = findValue(raw, ["host", "provider"]);
  const inner = findSchema(schema, block);
  const shapes = inner === undefined ? [] : listShapes(inner);
  const own = shapes.filter((shape) => shapes.length === 1 || readVariant(shape) === provider);
  const keys = own.flatMap((shape) => Object.keys(shape));
  const found = block.join(".") === "host" ? `no such key with host.provider ${String(provider)}` : "no such key";
  const near = keys.length === 0 ? "" : closest(key, keys);
  if (near !== "" && distance(key.toLowerCase(), near.toLowerCase()) <= 3) return `${found}; did you mean ${near}?`;
  return keys.length === 0 ? found : `${found}; possible keys are ${keys.join(", ")}`;
}

function formatWithFound({ message, path }: z.core.$ZodIssue, context: FaultContext): string {
  if (!message.startsWith("needed ") || findMeta(path, context).secret) return message;
  const found = formatHarmless(findValue(context.raw, path));
  return found === undefined ? message : `found ${found}, ${message}`;
}

/** Returns the text of a word, a number, an IP address or a path. Undefined for others, which may be secrets. */
function formatHarmless(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (value === "") return "an empty text";
  if (typeof value !== "string" || value.length > 60) return undefined;
  const isAddress = /^[0-9a-fA-F.:]+(\/\d{0,3})?$/.test(value) && /[.:/]/.test(value);
  return isWord(value) || isAddress || /^[~.]?\/[A-Za-z0-9 ._/-]*$/.test(value) ? value : undefined;
}

const isWord = (text: string) => /^[A-Za-z][A-Za-z_-]{0,19}$/.test(text);

function formatRange(issue: z.core.$ZodIssue, needed: string): string {
  if (issue.message !== ownText) return issue.message;
  return typeof issue.input === "number" ? `found ${issue.input}, needed ${needed}` : `needed ${needed}`;
}

function formatChoice(key: string, found: unknown, options: readonly string[], run: Commands): string {
  const last = options.length > 1 ? ` or ${options.at(-1)}` : "";
  const needed = `needed ${options.slice(0, Math.max(1, options.length - 1)).join(", ")}${last}`;
  if (found === undefined) return `missing, ${needed} (${run.set(key, options[0] ?? "")})`;
  return `found ${typeof found === "string" && isWord(found) ? found : describeKind(found)}, ${needed}`;
}

function formatMissing(path: readonly PropertyKey[], context: FaultContext): string {
  const { run } = context;
  const key = path.map(String).join(".");
  if (key === "ssh") return `missing. ${loginQuestion(context)}`;
  if (key === "pillar") return `missing, needed the Pillar's name (${run.setTo("pillar.name", "NAME")})`;
  if (key === "host")
    return `missing, needed the host's provider: ${run.set("host.provider", "existing")} for a server that exists already`;
  const { needed = "a value", secret } = findMeta(path, context) as { needed?: string; secret?: boolean };
  return `missing, needed ${needed} (${secret ? run.setSecret(key) : run.setTo(key, placeholder(path))})`;
}

function placeholder(path: readonly PropertyKey[]): string {
  const name = String(path.filter((step) => typeof step === "string").at(-1));
  return name === "hostKey" ? `'${someHostKey}'` : name.toUpperCase();
}

/** Returns the question how to log in, with the command for each way that a host of this kind takes. */
function loginQuestion({ raw, run }: FaultContext): string {
  const address = findValue(raw, ["host", "address"]);
  const where = typeof address === "string" && /^[A-Za-z0-9.:-]+$/.test(address) ? address : "the host";
  const file = `ith a key's file: ${run.set("ssh.privateKeyFile", "~/.ssh/id_ed25519")}`;
  const isCloud = ["hetzner", "digitalocean"].includes(String(findValue(raw, ["host", "provider"])));
  const ways = isCloud ? `W${file}` : `With the ssh agent: ${run.set("ssh.agent", true)}; or w${file}`;
  return `How does the program log in to ${where}? ${ways}`;
}

const kinds: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a block",
};

/** Formats a wrong type: `pulumi config set` stores a name of digits as a number; a file may hold a number as text. */
function formatWrongType(issue: z.core.$ZodIssueInvalidType, context: FaultContext): string {
  const { schema, run } = context;
  const key = settable(issue.path);
  const inner = findSchema(schema, issue.path);
  const { secret, form } = findMeta(issue.path, context) as { secret?: boolean; form?: string };
  const kind = String(issue.expected);
  const isShown = !secret && (typeof issue.input === "number" || typeof issue.input === "boolean");
  const found = isShown ? String(issue.input) : describeKind(issue.input);
  const cures: Readonly<Record<string, string>> = {
    string: secret ? run.setSecret(key) : run.setText(key, isShown && !form ? found : placeholder(issue.path)),
    array: `${run.remove(key)} && ${run.setTo(`${key}[0]`, "VALUE")}`,
    object: run.remove(key),
  };
  const names = inner === undefined ? [] : listShapes(inner).flatMap((shape) => Object.keys(shape));
  const such = kind === "object" ? ` with keys such as ${names.slice(0, 3).join(", ")}` : "";
  const needed = `${kinds[kind] ?? kind}${such}${kind === "string" && form !== undefined ? `: ${form}` : ""}`;
  const text = !secret && typeof issue.input === "string" && /^(true|false|\d{1,9})$/.test(issue.input) && issue.input;
  const set = text ? run.set(key, text) : run.setTo(key, placeholder(issue.path));
  // `pulumi config set` keeps the old value's type, so remove it first.
  const cure = cures[kind] ?? `${run.remove(key)} && ${set}`;
  return `found ${found}, needed ${needed} (${cure})`;
}

/** Returns the kind of a value, not the value, which may be a secret in the wrong place. */
function describeKind(value: unknown): string {
  if (value === null) return "nothing";
  return kinds[Array.isArray(value) ? "array" : typeof value] ?? typeof value;
}
