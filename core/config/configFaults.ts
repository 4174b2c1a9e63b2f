import { closest, distance } from "fastest-levenshtein";
import type { z } from "zod";
import type { Commands } from "../util/commands";
import { type Schema, shapesOf } from "./schemaKeys";

/** The namespace of the configuration's keys, and the project's name. */
export const project = "pillar-host";

/** A value of the configuration as the engine hands it over: structured ones as JSON, plain ones as they are (pure). */
export function parseValue(value: string): unknown {
  if (!/^[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** All faults of a stack's configuration, and what to do (pure). */
export function configFaultsText(stack: string, faults: readonly string[], effect: string, again: string): string {
  return [
    `The configuration of stack ${stack} has ${faults.length === 1 ? "a fault" : `${faults.length} faults`}${effect}:`,
    ...faults.map((fault) => `  - ${fault}`),
    `Correct it in Pulumi.${stack}.yaml, then run ${again} again.`,
  ].join("\n");
}

/** What keys were called once, and what they are called now. */
export const formerNames: ReadonlyMap<string, string> = new Map([
  ["controller.releaseUrl", "controller.release.url"],
  ["controller.sha256", "controller.release.sha256"],
]);

function renamed(then: string, now: string, { setTo, get, remove }: Commands): string {
  return `is called ${now} now. Move it: ${setTo(now, `"$(${get(then)})"`)} && ${remove(then)}`;
}

/** Whether an issue is about a key of this block that is called otherwise now (pure). */
export function hasFormerName(issue: z.core.$ZodRawIssue, block: string): boolean {
  if (issue.code !== "unrecognized_keys" || issue.path?.join(".") !== block) return false;
  return (issue.keys as string[]).some((key) => formerNames.has(`${block}.${key}`));
}

/** An issue of the schema as lines for the operator: key, what was found, what is needed (pure). */
export function configFaultsOf(issue: z.core.$ZodIssue, schema: Schema, run: Commands): string[] {
  const at = (path: readonly PropertyKey[]) => `${project}:${path.map(String).join(".")}`;
  if (issue.code === "unrecognized_keys") {
    const known = knownKeys(schema, issue.path);
    return issue.keys.map((key) => {
      const path = [...issue.path, key];
      const now = formerNames.get(path.join("."));
      return `${at(path)}: ${now === undefined ? `no such key${suggestion(key, known)}` : renamed(path.join("."), now, run)}`;
    });
  }
  if (issue.code === "invalid_type" && issue.input === undefined)
    return [`${at(issue.path)}: missing, needed ${issue.expected}`];
  if (issue.code === "invalid_type")
    return [
      `${at(issue.path)}: found ${kindOf(issue.input)}, needed ${issue.expected === "int" ? "whole number" : issue.expected}`,
    ];
  const isToBeSet = issue.code === "custom" && issue.params?.isToBeSet === true;
  const command = isToBeSet ? ` (${run.setSecret(issue.path.map(String).join("."))})` : "";
  return [`${at(issue.path)}: ${issue.message}${command}`];
}

// The value itself may be a secret in the wrong place.
function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** The nearest known key, or all of them where none is near (pure). */
function suggestion(key: string, known: readonly string[]): string {
  if (known.length === 0) return "";
  const nearest = closest(key, [...known]);
  return distance(key.toLowerCase(), nearest.toLowerCase()) <= 3
    ? `; did you mean ${nearest}?`
    : `; known are ${known.join(", ")}`;
}

/** The keys that the schema has at a path (pure). */
function knownKeys(schema: Schema, path: readonly PropertyKey[]): string[] {
  let shapes = shapesOf(schema);
  for (const step of path) {
    shapes = shapes.flatMap((shape) => {
      const next = shape[String(step)];
      return next ? shapesOf(next) : [];
    });
  }
  return [...new Set(shapes.flatMap((shape) => Object.keys(shape)))];
}
