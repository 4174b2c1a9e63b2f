import { join } from "node:path";
import { ProblemError } from "../../core/util/problem.ts";

/** Returns a stack's short name, without organization and project, as event logs and files use it. */
export const shortenStackName = (full: string): string => full.split("/").at(-1) ?? full;

export const resolveStackFilePath = (stack: string) => join(process.cwd(), `Pulumi.${shortenStackName(stack)}.yaml`);

/** Checks a new stack's name by Pulumi's rule. A lone dot would name a file that every later command stumbles over. */
export function checkStackName(full: string): void {
  const name = shortenStackName(full);
  if (/^[A-Za-z0-9._-]{1,100}$/.test(name) && !/^\.*$/.test(name)) return;
  throw new ProblemError({
    what: "this name can't be a stack's; nothing was written",
    found: JSON.stringify(full),
    needed: "choose a name of letters, digits, dots, dashes and underscores, such as prod-2",
  });
}
