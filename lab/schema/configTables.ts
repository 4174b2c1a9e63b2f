import { z } from "zod";
import { listSchemaKeys, readMeta, type Schema, type SchemaKey } from "../../core/config/schemaKeys.ts";
import { stackSchema } from "../../core/config/stackSchema.ts";

const begin = (blocks: string) => `<!-- keys: ${blocks} (made by npm run schema) -->`;
const end = "<!-- end of keys -->";
const marked = /<!-- keys: ([a-zA-Z, ]+?) \(made by npm run schema\) -->\n[\s\S]*?<!-- end of keys -->/g;

/**
 * Returns the documentation with new lists of keys, each between its two marks. Keeps the text around them.
 * @throws if a key of the configuration has no list or two, or a list names an unknown key
 */
export function withTables(text: string): string {
  const wanted = Object.keys(stackSchema.shape);
  const found = [...text.matchAll(marked)].flatMap(([, blocks = ""]) => blocks.split(", "));
  const wrong = [...wanted.filter((key) => !found.includes(key)), ...found.filter((key) => !wanted.includes(key))];
  const twice = found.filter((key, index) => found.indexOf(key) !== index);
  if (wrong.length + twice.length > 0)
    throw new Error(
      `each key of the configuration has one list between "${begin("KEY, KEY")}" and "${end}"; not so: ${[...wrong, ...twice].join(", ")}`,
    );
  return text.replace(marked, (_, blocks: string) => `${begin(blocks)}\n\n${listOf(blocks.split(", "))}\n${end}`);
}

function listOf(blocks: readonly string[]): string {
  const rows = new Map<string, SchemaKey[]>();
  for (const key of listSchemaKeys(stackSchema)) {
    const path = key.path.join(".");
    // The heading above the list says what the outermost block is.
    if (key.isBlock && key.path.length === 1) continue;
    if (blocks.includes(key.path[0] ?? "")) rows.set(path, [...(rows.get(path) ?? []), key]);
  }
  const variants = new Set([...rows.values()].flat().flatMap(({ variant }) => variant ?? []));
  const lines = [...rows].map(([path, keys]) => [path, ...cellsOf(keys, variants.size)]);
  return withoutRepeatedLogins(lines).map(formatLine).join("");
}

/** Formats a key's line. In a terminal a table of such long texts is unreadable. */
function formatLine([key = "", value = "", otherwise = "", description = ""]: readonly string[]): string {
  const brackets = [value, otherwise].filter((text) => text !== "").join("; ");
  return `- ${key} (${brackets})${description === "" ? "" : `: ${description}`}\n`;
}

/** Logins of other hosts. They repeat keys of `ssh` and `ssh.proxy`. */
const repeatingLogins = ["ssh.proxy", "oldHost", "retirement.successor"];

/** Merges the lines of a login that repeat keys of `ssh` into one line. */
function withoutRepeatedLogins(lines: readonly string[][]): string[][] {
  const original = new Map(
    listSchemaKeys(stackSchema)
      .filter(({ path: [block] }) => block === "ssh")
      .map((key): [string, string[]] => [key.path.join("."), cellsOf([key], 0)]),
  );
  const ofProxy = ["address", "hostKey"];
  const merged = new Map<string, string[]>();
  return lines.flatMap(([path = "", ...cells]) => {
    const login = repeatingLogins.find((prefix) => path.startsWith(`${prefix}.`));
    const key = path.slice((login?.length ?? 0) + 1);
    const [value, , description] = original.get(ofProxy.includes(key) ? `ssh.proxy.${key}` : `ssh.${key}`) ?? [];
    const isOriginal = login === undefined || (login === "ssh.proxy" && ofProxy.includes(key));
    if (isOriginal || value !== cells[0] || description !== cells[2]) return [[code(path), ...cells]];
    if (key.startsWith("proxy.")) return [];
    const exception = cells[1] === "as in `ssh`" ? "" : ` (${cells[1]})`;
    const row = merged.get(login);
    if (row) {
      row[0] += `, ${code(key)}${exception}`;
      return [];
    }
    const first = [
      `${code(login)}: ${code(key)}${exception}`,
      "as in `ssh`",
      "",
      login === "ssh.proxy" ? "" : "`address` and `hostKey` as in `ssh.proxy`",
    ];
    merged.set(login, first);
    return [first];
  });
}

/** Returns value, default and description of a key. @param variants number of variants of its block */
function cellsOf(keys: readonly SchemaKey[], variants: number): string[] {
  const secret = keys.some(({ schema }) => readMeta(schema).secret) ? "Secret. " : "";
  const isOfAll = keys.length === variants || keys.every(({ variant }) => variant === undefined);
  return [
    byVariant(keys, writtenAs, true),
    byVariant(keys, defaultOf, true),
    secret + byVariant(keys, descriptionOf, isOfAll),
  ];
}

/** Returns a text about a key, with the variants of its block if it does not apply to all. */
function byVariant(keys: readonly SchemaKey[], textOf: (key: SchemaKey) => string, isOfAll: boolean): string {
  const said = new Map<string, string[]>();
  for (const key of keys) said.set(textOf(key), [...(said.get(textOf(key)) ?? []), key.variant ?? ""]);
  if (said.size === 1 && isOfAll) return [...said.keys()].join();
  const isNamed = (text: string, variants: readonly string[]) => text === variants.map(code).join();
  return [...said]
    .map(([text, variants]) => (isNamed(text, variants) ? text : `(${variants.join("/")}) ${text}`))
    .join("; ");
}

const code = (value: unknown) => `\`${value}\``;

/** Part of a key's JSON schema that the lists show. */
interface Json {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
}

const jsonOf = (schema: Schema) => z.toJSONSchema(schema as z.ZodType, { io: "input", unrepresentable: "any" }) as Json;

/** Returns how a value is written. */
function writtenAs({ schema, isBlock }: Pick<SchemaKey, "schema" | "isBlock">): string {
  if (isBlock) return "block";
  const { form, unit, examples = [] } = readMeta(schema);
  const element = elementOf(schema);
  if (element) return `list, each: ${writtenAs({ schema: element, isBlock })}`;
  const example = examples.length === 0 ? "" : `, as ${examples.map(code).join(" or ")}`;
  return `${form ?? typeOf(jsonOf(schema))}${unit === undefined ? "" : ` (${unit})`}${example}`;
}

function typeOf(json: Json): string {
  const { type, enum: choices, minimum, maximum = Infinity, exclusiveMinimum } = json;
  if ("const" in json) return code(json.const);
  if (choices) return choices.map(code).join(" or ");
  if (type === "boolean") return "`true` or `false`";
  if (type !== "number" && type !== "integer") return "text";
  return [
    type === "integer" ? "whole number" : "number",
    ...(minimum === undefined ? [] : [`from ${minimum}`]),
    ...(exclusiveMinimum === undefined ? [] : [`above ${exclusiveMinimum}`]),
    // JSON's own limit of whole numbers is not a limit of the configuration.
    ...(maximum >= Number.MAX_SAFE_INTEGER ? [] : [`to ${maximum}`]),
  ].join(" ");
}

/** Returns the schema of a list's values; undefined if it is no list. */
function elementOf(schema: Schema): Schema | undefined {
  const { element, innerType } = schema._zod.def as { element?: Schema; innerType?: Schema };
  return element ?? (innerType && elementOf(innerType));
}

function defaultOf({ schema, isBlock }: SchemaKey): string {
  const { otherwise = "" } = readMeta(schema);
  const { default: value } = jsonOf(schema);
  const isNeeded = (schema as z.ZodType)._zod.optin === undefined;
  if (isNeeded) return "needed";
  if (value === undefined || isBlock) return otherwise;
  return Array.isArray(value) && value.length > 0
    ? value.map(code).join(", ")
    : code(typeof value === "string" ? value : JSON.stringify(value));
}

function descriptionOf({ schema }: SchemaKey): string {
  const { description = "", see } = readMeta(schema);
  return see === undefined ? description : `${description} ([${see.replace(/#.*/, "")}](${see}))`;
}
