import type { z } from "zod";
import { commandsFor } from "../util/commands";
import { correctionsOf } from "./corrections";
import { configFaultsOf, leftUnsaid } from "./faultText";
import { withKeyFiles } from "./keyFiles";
import type { Raw } from "./rawValues";
import { stackSchema } from "./stackSchema";

/** So that a fault that no guess sets right ends the search. */
const mostRounds = 10;

/**
 * Checks a configuration: all that is wrong with it comes at once. The schema alone does not ask how keys fit together
 * while one of them is missing or malformed, so it is asked again with what is wrong set right.
 *
 * @param later keys whose values are given after this: that they are still missing is no fault
 * @returns what the schema makes of it, or a line for each fault
 */
export function checked(
  raw: Raw,
  stack: string,
  later: readonly string[] = [],
): { data: z.output<typeof stackSchema> } | { faults: string[] } {
  const context = { schema: stackSchema, run: commandsFor(stack) };
  const faults = new Set<string>();
  const ofFiles = new Set<string>();
  const standIns: (readonly PropertyKey[])[] = [];
  let values = raw;
  for (let round = 0; round < mostRounds; round++) {
    const keys = withKeyFiles(values);
    for (const fault of keys.faults) ofFiles.add(fault);
    // zod would compile a checker for each block first, which takes longer than to check once.
    const result = stackSchema.safeParse(keys.raw, { reportInput: true, jitless: true, error: leftUnsaid });
    if (result.success && round === 0 && ofFiles.size === 0) return { data: result.data };
    const all = result.error?.issues ?? [];
    const issues = all.filter(
      (issue) =>
        !standIns.some((other) => isOneWay(other, issue.path)) &&
        !maybeMisspelt(issue, all) &&
        !maybeWithoutPath(issue, all) &&
        !isOf(issue, later),
    );
    for (const issue of issues)
      for (const fault of configFaultsOf(issue, { ...context, raw: values })) faults.add(fault);
    const before = values;
    for (const issue of issues) {
      for (const mended of correctionsOf(values, issue, stackSchema)) {
        values = mended.raw;
        if (mended.standsIn !== undefined) standIns.push(mended.standsIn);
      }
    }
    if (values === before) break;
  }
  return { faults: [...faults, ...ofFiles] };
}

const isOf = (issue: z.core.$ZodIssue, keys: readonly string[]) =>
  issue.code === "custom" && issue.params?.isToBeSet === true && keys.includes(issue.path.map(String).join("."));

/** Whether it may be that a block lacks only what stands there under another name: asked again when that is set right. */
const maybeMisspelt = (issue: z.core.$ZodIssue, all: readonly z.core.$ZodIssue[]) =>
  issue.code === "custom" &&
  all.some(({ code, path }) => code === "unrecognized_keys" && path.join(".") === issue.path.join("."));

/** The same of a block whose keys may all have been set without --path, which makes keys of their own of them. */
const maybeWithoutPath = ({ code, input, path }: z.core.$ZodIssue, all: readonly z.core.$ZodIssue[]) =>
  code === "invalid_type" &&
  input === undefined &&
  all.some((other) => {
    const isWhole = other.code === "unrecognized_keys" && other.path.length === 0;
    return isWhole && other.keys.some((key) => key.includes(".") && isOneWay(key.split("."), path));
  });

/** Whether one of two paths leads along the other. */
const isOneWay = (one: readonly PropertyKey[], other: readonly PropertyKey[]) =>
  one.slice(0, other.length).every((step, i) => step === other[i]);
