import fs from "node:fs";
import { openStore } from "../../core/store/openStore";
import { formatDefaultPlace, resolveOwnIdentityPath } from "../../core/store/recordsDirectory";
import type { Store } from "../../core/store/store";
import { commandsFor } from "../../core/util/commands";
import { formatProblem } from "../../core/util/problem";
import { createPulumi } from "../pulumi/pulumiCommand";
import { shortenStackName } from "../pulumi/stackName";
import { CliRefusal } from "../terminal/refusal";
import { buildReport, listStacks, type ParsedLog, parseEventLog } from "./buildReport";
import { formatJson, formatText } from "./reportText";

interface ReportOptions {
  readonly json?: boolean;
  /** The place of the event log, if not the configured one: for a stack that is gone. */
  readonly directory?: string;
}

/** Prints the report of a migration. Returns the exit code. @throws CliRefusal if no event log names the stack */
export async function report(fullName: string, { json, directory }: ReportOptions): Promise<number> {
  // The event log has only the short name, even if the backend uses organization/project/stack.
  const stack = shortenStackName(fullName);
  const store = openStore(directory ?? (await readConfiguredPlace(fullName)), stack);
  const log = await readLog(store);
  const made = buildReport(log, stack);
  if (made === undefined)
    throw new CliRefusal(
      formatProblem({
        what: `the event log does not name stack ${stack}`,
        found: `${store.log}, which names ${listStacks(log.entries).join(", ") || "no stack"}`,
        needed:
          "run this command on the machine and as the user that ran the stack, or pass the directory of record.jsonl:",
        next: [commandsFor(stack).report("--directory", "DIR"), `To begin a migration: ${commandsFor(stack).up}`],
      }),
    );
  if (json) {
    console.log(formatJson(made));
    return 0;
  }
  console.log(formatText(made, process.stdout.columns ?? 120));
  const key = resolveOwnIdentityPath(store.directory);
  const keyLine = fs.existsSync(key) ? `\nKey:        ${key} opens the backups: keep a copy elsewhere` : "";
  console.log(`\nEvent log:  ${store.directory}${keyLine}`);
  return 0;
}

/** @throws CliRefusal with a command that needs neither stack nor pulumi, because the event log outlives them */
async function readConfiguredPlace(stack: string): Promise<string> {
  try {
    const configuration = await createPulumi(stack).read(["config", "--json", "--show-secrets"]);
    // Loaded here, because the schema takes a moment to load.
    const { parseConfiguration } = require("../pulumi/configuration") as typeof import("../pulumi/configuration");
    const { chooseRecordsPlace } =
      require("../../core/config/stackStore") as typeof import("../../core/config/stackStore");
    return chooseRecordsPlace(parseConfiguration(stack, configuration));
  } catch (error) {
    if (!(error instanceof CliRefusal)) throw error;
    const outlasting = commandsFor(stack).report("--directory", `"${formatDefaultPlace("PILLAR")}"`);
    throw new CliRefusal(`${error.message}\nTo read the event log without the stack: ${outlasting}`);
  }
}

async function readLog(store: Store): Promise<ParsedLog> {
  try {
    return parseEventLog((await store.readLines()).join("\n"), store.log);
  } catch (error) {
    throw new CliRefusal((error as Error).message);
  }
}
