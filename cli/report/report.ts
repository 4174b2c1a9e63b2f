import fs from "node:fs";
import { chooseRecordsPlace } from "../../core/config/stackStore.ts";
import { openStore } from "../../core/store/openStore.ts";
import { formatDefaultPlace, resolveOwnIdentityPath } from "../../core/store/recordsDirectory.ts";
import { commandsFor } from "../../core/util/commands.ts";
import { ProblemError } from "../../core/util/problem.ts";
import { parseConfiguration } from "../pulumi/configuration.ts";
import { createPulumi } from "../pulumi/pulumiCommand.ts";
import { shortenStackName } from "../pulumi/stackName.ts";
import { buildReport, listStacks, parseEventLog } from "./buildReport.ts";
import { formatJson, formatText } from "./reportText.ts";

/**
 * Prints the report of a migration. `directory`: the place of the event log, for a stack that is gone. Returns the exit
 * code. @throws ProblemError if no event log names the stack
 */
export async function report(
  fullName: string,
  { json, directory }: { readonly json?: boolean; readonly directory?: string },
): Promise<number> {
  // The event log has only the short name, even if the backend uses organization/project/stack.
  const stack = shortenStackName(fullName);
  const store = openStore(directory ?? (await readConfiguredPlace(fullName)), stack);
  const log = parseEventLog(await store.readLines(), store.log);
  const made = buildReport(log, stack);
  if (made === undefined)
    throw new ProblemError({
      what: `the event log does not name stack ${stack}`,
      found: `${store.log}, which names ${listStacks(log.entries).join(", ") || "no stack"}`,
      needed: "run this command as the user and on the machine that ran the stack, or give the place of record.jsonl:",
      next: commandsFor(stack).report("--directory", "DIR"),
    });
  if (json) {
    console.log(formatJson(made));
    return 0;
  }
  const key = resolveOwnIdentityPath(store.directory);
  console.log(`${formatText(made, process.stdout.columns ?? 120)}\n\nEvent log:  ${store.directory}`);
  if (fs.existsSync(key)) console.log(`Key:        ${key} opens the backups: keep a copy elsewhere`);
  return 0;
}

/** @throws ProblemError with a command that needs neither stack nor pulumi, because the event log outlives them */
async function readConfiguredPlace(stack: string): Promise<string> {
  try {
    const configuration = await createPulumi(stack).read(["config", "--json", "--show-secrets"]);
    return chooseRecordsPlace(parseConfiguration(stack, configuration));
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const outlasting = commandsFor(stack).report("--directory", `"${formatDefaultPlace("PILLAR")}"`);
    throw new ProblemError({ what: `${error.message}\nTo read the event log without the stack: ${outlasting}` });
  }
}
