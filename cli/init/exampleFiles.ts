import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { shortenStackName } from "../pulumi/stackName";

export const examples = join(__dirname, "../../examples");

export const resolveStackFilePath = (stack: string) => join(process.cwd(), `Pulumi.${shortenStackName(stack)}.yaml`);

/** Reads a stack's file if it is the unchanged example of this program, which may be overwritten. */
export function readUnchangedExample(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, "utf8");
  const shipped = readFileSync(join(examples, "network-of-momentum.yaml"), "utf8");
  return text === shipped.replace("$schema=../", "$schema=./") ? text : undefined;
}
