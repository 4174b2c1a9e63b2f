import { decideNextStep } from "../../core/journey/decideNextStep.ts";
import { wrapSentence } from "../../core/util/wrapSentence.ts";
import { openStack } from "../status/openStack.ts";
import { readFacts } from "../status/readStatus.ts";

/** Prints a stack's next step. @returns the exit code that --help lists. @throws Refusal */
export async function next(fullName: string, { json }: { json?: boolean }): Promise<number> {
  const source = await openStack(fullName);
  const { lines } = decideNextStep(await readFacts(source));
  console.log(
    json
      ? JSON.stringify({ stack: source.stack, nextStep: lines }, undefined, 2)
      : lines.flatMap(wrapSentence).join("\n"),
  );
  return 0;
}
