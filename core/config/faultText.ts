import type { z } from "zod";
import { type Commands, someHostKey } from "../util/commands";
import { project } from "./configFaults";
import { isDuration } from "./duration";
import { valueAt } from "./rawValues";
import { cureCommand, type FaultCure } from "./schemaFault";
import { metaOf, schemaAt, shapesOf } from "./schemaKeys";
import { type FaultContext, unknownKeyText } from "./unknownKeys";
import { meantBoolean, meantNumber, nearest } from "./whatWasMeant";

const unsaid = "";

/** For a check by the schema: leaves unsaid what is said here, unless the schema has words of its own for it (pure). */
export function leftUnsaid({ code }: { readonly code?: string }): string | undefined {
  return ["invalid_value", "too_small", "too_big"].includes(code ?? "") ? unsaid : undefined;
}

/** An issue of the schema as lines for the operator: key, what was found, what is needed, the command that sets it right (pure). */
export function configFaultsOf(issue: z.core.$ZodIssue, context: FaultContext): string[] {
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => `${at([...issue.path, key])}: ${unknownKeyText(key, issue.path, context)}`);
  return [`${at(issue.path)}: ${textOf(issue, context)}`];
}

const at = (path: readonly PropertyKey[]) => `${project}:${keyOf(path)}`;
const keyOf = (path: readonly PropertyKey[]) => path.map(String).join(".");
/** As `pulumi config set --path` takes it. */
const settable = (path: readonly PropertyKey[]) =>
  path.map((step, i) => (typeof step === "number" ? `[${step}]` : `${i === 0 ? "" : "."}${String(step)}`)).join("");

function textOf(issue: z.core.$ZodIssue, context: FaultContext): string {
  const { run } = context;
  const key = settable(issue.path);
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? missing(issue.path, context) : wrongType(issue, context);
    case "invalid_value":
      return issue.message === unsaid
        ? choice(key, issue.input, issue.values.map(String), run)
        : withFound(issue, context);
    case "invalid_union": {
      if (!("options" in issue) || issue.options === undefined) return wrongUnion(issue, context);
      const block = (issue.input ?? {}) as Readonly<Record<string, unknown>>;
      return choice(key, block[String(issue.path.at(-1))], issue.options.map(String), run);
    }
    case "too_small":
      if (issue.origin === "string") return "is empty";
      return ranged(issue, `${issue.inclusive ? "at least" : "more than"} ${issue.minimum}`);
    case "too_big":
      return ranged(issue, `${issue.inclusive ? "at most" : "less than"} ${issue.maximum}`);
    case "custom":
      if (issue.params?.isLogin === true) return `${issue.message}. ${loginQuestion(context)}`;
      if (issue.params?.isToBeSet === true) return `${issue.message} (${run.setSecret(key)})`;
      return `${withFound(issue, context)}${issue.params?.cure ? ` (${cureCommand(issue.params.cure as FaultCure, run)})` : ""}`;
    default:
      return withFound(issue, context);
  }
}

/** What is needed, behind what was found where that may be shown. */
function withFound({ message, path }: z.core.$ZodIssue, { raw, schema }: FaultContext): string {
  if (!message.startsWith("needed ")) return message;
  const inner = schemaAt(schema, path);
  const isSecret = inner === undefined || metaOf(inner).secret === true;
  const found = isSecret ? undefined : harmless(valueAt(raw, path));
  return found === undefined ? message : `found ${found}, ${message}`;
}

/** A value as it can be shown where it may stand in the wrong place: a word, a number, an address or a path is no secret. */
function harmless(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (value === "") return "an empty text";
  if (typeof value !== "string" || value.length > 60) return undefined;
  const isAddress = /^[0-9a-fA-F.:]+(\/\d{0,3})?$/.test(value) && /[.:/]/.test(value);
  return isWord(value) || isAddress || /^[~.]?\/[A-Za-z0-9 ._/-]*$/.test(value) ? value : undefined;
}

const isWord = (text: string) => /^[A-Za-z][A-Za-z_-]{0,19}$/.test(text);

function ranged(issue: z.core.$ZodIssue, needed: string): string {
  if (issue.message !== unsaid) return issue.message;
  return typeof issue.input === "number" ? `found ${issue.input}, needed ${needed}` : `needed ${needed}`;
}

/** One of some words. What was found is shown where it can be no secret in the wrong place. */
function choice(key: string, found: unknown, options: readonly string[], run: Commands): string {
  const needed = `needed ${oneOf(options)}`;
  if (found === undefined) return `missing, ${needed} (${run.set(key, options[0] ?? "")})`;
  const meant = nearest(String(found), options);
  const shown = typeof found === "string" && isWord(found) ? found : kindOf(found);
  return `found ${shown}, ${needed}${meant === undefined ? "" : `. Did you mean ${meant}? ${run.set(key, meant)}`}`;
}

const oneOf = (words: readonly string[]) =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;

function missing(path: readonly PropertyKey[], context: FaultContext): string {
  const { run, schema } = context;
  const key = keyOf(path);
  if (key === "ssh") return `missing. ${loginQuestion(context)}`;
  if (key === "pillar") return `missing, needed the Pillar's name (${run.setTo("pillar.name", "NAME")})`;
  if (key === "host")
    return `missing, needed where the host comes from: ${run.set("host.provider", "existing")} for a server that is there already`;
  const inner = schemaAt(schema, path);
  const { needed = "a value", secret } = inner ? metaOf(inner) : {};
  const set = secret ? run.setSecret(key) : run.setTo(key, placeholder(path));
  return `missing, needed ${needed} (${set})`;
}

function placeholder(path: readonly PropertyKey[]): string {
  const name = String(path.at(-1));
  return name === "hostKey" ? `'${someHostKey}'` : name.toUpperCase();
}

/** How the program logs in, and the command for each way that a host of this kind takes. */
function loginQuestion({ raw, run }: FaultContext): string {
  const { provider, address } = (typeof raw.host === "object" && raw.host !== null ? raw.host : {}) as {
    readonly provider?: unknown;
    readonly address?: unknown;
  };
  const where = typeof address === "string" && /^[A-Za-z0-9.:-]+$/.test(address) ? address : "the host";
  const file = `with a key's file: ${run.set("ssh.privateKeyFile", "~/.ssh/id_ed25519")}`;
  const isCloud = provider === "hetzner" || provider === "digitalocean";
  const ways = isCloud ? file : `with the ssh agent: ${run.set("ssh.agent", true)}; or ${file}`;
  return `How does the program log in to ${where}? ${ways.charAt(0).toUpperCase()}${ways.slice(1)}`;
}

/** What `pulumi config set` makes of words, and a file that is written by hand, is often not the type that is needed. */
function wrongType(issue: z.core.$ZodIssueInvalidType, { schema, run }: FaultContext): string {
  const key = settable(issue.path);
  const found = issue.input;
  const inner = schemaAt(schema, issue.path);
  const isSecret = inner !== undefined && metaOf(inner).secret === true;
  const value = isSecret || typeof found === "string" ? kindOf(found) : `${kindOf(found, "the")} ${String(found)}`;
  switch (String(issue.expected)) {
    case "string":
      if (typeof found !== "number" && typeof found !== "boolean") return `found ${kindOf(found)}, needed text`;
      if (isSecret) return `found ${value}, needed text (${run.setSecret(key)})`;
      if (inner && isDuration(inner))
        return `found ${value}, needed a duration such as 7d or 12h (${run.setTo(key, "DURATION")})`;
      return `found ${value}, needed text (${run.setText(key, String(found))})`;
    case "number":
    case "int": {
      const needed = issue.expected === "int" ? "a whole number" : "a number";
      const meant = meantNumber(found);
      if (meant !== undefined) return `found the text ${String(found)}, needed ${needed} (${run.setAnew(key, meant)})`;
      return `found ${typeof found === "number" ? value : kindOf(found)}, needed ${needed}`;
    }
    case "boolean": {
      const meant = meantBoolean(found);
      if (meant !== undefined)
        return `found the text ${String(found)}, needed true or false (${run.setAnew(key, meant)})`;
      return `found ${typeof found === "number" ? value : kindOf(found)}, needed true or false`;
    }
    case "array":
      return `found ${kindOf(found)}, needed a list (${run.remove(key)} && ${run.setTo(`${key}[0]`, "VALUE")})`;
    case "object": {
      const keys = inner === undefined ? [] : [...new Set(shapesOf(inner).flatMap((shape) => Object.keys(shape)))];
      return `found ${kindOf(found)}, needed a block with keys such as ${keys.slice(0, 3).join(", ")} (${run.remove(key)})`;
    }
    default:
      return `found ${kindOf(found)}, needed ${issue.expected}`;
  }
}

function wrongUnion({ path, input }: z.core.$ZodIssueInvalidUnion, { schema }: FaultContext): string {
  const inner = schemaAt(schema, path);
  const { form = "another value", examples = [] } = inner ? metaOf(inner) : {};
  return `found ${typeof input === "string" ? "text" : kindOf(input)}, needed a ${form}${examples[0] === undefined ? "" : `, such as ${examples[0]}`}`;
}

// The value itself may be a secret in the wrong place.
function kindOf(value: unknown, article?: string): string {
  if (value === null) return "nothing";
  if (Array.isArray(value)) return `${article ?? "a"} list`;
  if (typeof value === "string") return article === undefined ? "text" : `${article} text`;
  if (typeof value === "object") return `${article ?? "a"} block`;
  return typeof value === "boolean"
    ? article === undefined
      ? "true or false"
      : "the word"
    : `${article ?? "a"} number`;
}
