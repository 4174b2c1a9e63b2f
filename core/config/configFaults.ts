import type { z } from "zod";

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

/** Whether an issue is about a key of this block that is called otherwise now (pure). */
export function hasFormerName(issue: z.core.$ZodRawIssue, block: string): boolean {
  if (issue.code !== "unrecognized_keys" || issue.path?.join(".") !== block) return false;
  return (issue.keys as string[]).some((key) => formerNames.has(`${block}.${key}`));
}
