import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What stands in a fixture for a value of the lab that made it, and in a lab for the same of its own. */
export type Placeholders = Readonly<Record<string, string>>;

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

interface Export {
  readonly version: number;
  readonly deployment: { readonly [key: string]: Json };
}

/** Longer ones are code of the program as it was: what counts is that it was another. */
const longest = 2000;
const isCode = (text: string) => text.length > longest && !text.includes("PRIVATE KEY");

/** Where a resource was made in the program, of the machine that wrote it; what protects the secrets of its stack. */
const ofThatMachine = new Set(["sourcePosition", "stackTrace", "secrets_providers"]);

/** Each text of a value, also of those in a secret, which is a JSON text in itself (pure). */
function mapped(value: Json, change: (text: string) => string): Json {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((each: Json) => mapped(each, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      if (key !== "plaintext" || typeof each !== "string") return [key, mapped(each, change)];
      return [key, JSON.stringify(mapped(JSON.parse(each) as Json, change))];
    }),
  );
}

function portable(value: Json): Json {
  if (Array.isArray(value)) return value.map(portable);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !ofThatMachine.has(key));
  return Object.fromEntries(kept.map(([key, each]) => [key, portable(each)]));
}

/** A text with placeholders in the place of a lab's values (pure): the longest first, as one may be part of another. */
export function withPlaceholders(text: string, values: Placeholders): string {
  const known = Object.entries(values).sort(([, a], [, b]) => b.length - a.length);
  return known.reduce((left, [name, value]) => left.replaceAll(value, `{{${name}}}`), text);
}

/** The same text with a lab's own values (pure). @throws where it names one that this lab has not */
export function filledIn(text: string, values: Placeholders): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_whole, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`the fixture names {{${name}}}, which this lab has no value for`);
    return value;
  });
}

/** What a stack export, secrets shown, becomes as a fixture (pure). */
export function strippedExport(text: string, values: Placeholders): string {
  const { version, deployment } = JSON.parse(text) as Export;
  const strip = (each: string) =>
    isCode(each) ? `code of then: ${each.length} letters` : withPlaceholders(each, values);
  return `${JSON.stringify({ version, deployment: mapped(portable(deployment), strip) }, undefined, 1)}\n`;
}

/** The export that a stack of this lab imports (pure). @param own what it exports itself: whose pass phrase protects it */
export function filledExport(text: string, own: string, values: Placeholders): string {
  const { version, deployment } = JSON.parse(text) as Export;
  const { secrets_providers } = (JSON.parse(own) as Export).deployment;
  const filled = mapped(deployment, (each) => filledIn(each, values)) as Export["deployment"];
  return JSON.stringify({ version, deployment: { ...filled, ...(secrets_providers ? { secrets_providers } : {}) } });
}

const isText = (name: string) => !name.endsWith(".age");

/** Copies a directory of backups and its event log, its texts changed. */
export function copyBackups(from: string, to: string, change: (text: string) => string): void {
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true, mode: 0o700 });
  if (!existsSync(from)) return;
  for (const name of readdirSync(from)) {
    if (isText(name)) writeFileSync(join(to, name), change(readFileSync(join(from, name), "utf8")), { mode: 0o600 });
    else cpSync(join(from, name), join(to, name));
  }
}
