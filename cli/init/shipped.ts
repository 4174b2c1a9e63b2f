import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { stackName } from "../pulumi/stackName";

export const examples = join(__dirname, "../../examples");

/** Where a stack's file lies. */
export const stackFilePath = (stack: string) => join(process.cwd(), `Pulumi.${stackName(stack)}.yaml`);

/** The text of a stack's file where it is the example that came with the program, unchanged: that may go. */
export function readShippedFile(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, "utf8");
  const shipped = readFileSync(join(examples, "network-of-momentum.yaml"), "utf8");
  return text === shipped.replace("$schema=../", "$schema=./") ? text : undefined;
}
