import { decideNext } from "../../core/journey/decideNext.ts";
import { formatAdoption } from "../../core/journey/texts.ts";
import { checkNodeVersion } from "../check/checkNodeVersion.ts";
import type { CheckRow } from "../check/checkRow.ts";
import { openStack } from "../status/openStack.ts";
import { readFacts } from "../status/readStatus.ts";

/** Prints a stack's next step. @returns the exit code that --help lists. @throws Refusal */
export async function next(fullName: string, { json }: { json?: boolean }): Promise<number> {
  const source = await openStack(fullName);
  const { stack, state } = source;
  const [facts, versions] = await Promise.all([readFacts(source), state.isBegun ? checkNodeVersion(source) : []]);
  const { isMoveConfigured, oldHost } = source.facts.settings;
  const { lines, isAddressOffered } = decideNext(facts);
  const adoption = isAddressOffered && !isMoveConfigured && oldHost !== undefined ? formatAdoption(stack, oldHost) : [];
  const all = [...adoption, ...lines, ...listVersionsToInstall(versions)];
  console.log(json ? JSON.stringify({ stack, nextStep: all }, undefined, 2) : all.join("\n"));
  return 0;
}

/** Returns what to install if the node needs a newer version, now or soon. */
export const listVersionsToInstall = (rows: readonly CheckRow[]): readonly string[] =>
  rows.flatMap(({ isInstallNeeded, lines }) => (isInstallNeeded ? lines : []));
