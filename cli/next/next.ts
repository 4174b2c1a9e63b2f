import { decideJourney } from "../../core/journey/decideJourney.ts";
import { formatAdoption } from "../../core/journey/texts.ts";
import { openStack } from "../status/openStack.ts";
import { readFacts } from "../status/readStatus.ts";

/** Prints a stack's next step. @returns the exit code that --help lists. @throws Refusal */
export async function next(fullName: string, { json }: { json?: boolean }): Promise<number> {
  const source = await openStack(fullName);
  const { stack } = source;
  const { isMoveConfigured, oldHost } = source.facts.settings;
  const { lines, isAddressOffered } = decideJourney(await readFacts(source));
  const isAdoptionDue = isAddressOffered && !isMoveConfigured && oldHost !== undefined;
  const all = isAdoptionDue ? [...formatAdoption(stack, oldHost), ...lines] : lines;
  console.log(json ? JSON.stringify({ stack, nextStep: all }, undefined, 2) : all.join("\n"));
  return 0;
}
