import fs from "node:fs";
import { resolveOwnIdentityPath } from "../../core/store/recordsDirectory";
import { takeFirstLine } from "../../core/util/firstLine";
import { createPulumi } from "../pulumi/pulumiCommand";
import { shortenStackName } from "../pulumi/stackName";
import { CliRefusal, refusalExitCode } from "../terminal/refusal";
import { buildReport } from "./buildReport";
import { findEventLog } from "./findEventLog";
import { formatJson, formatText } from "./reportText";

interface ReportOptions {
  readonly json?: boolean;
  readonly directory?: string;
}

/**
 * Prints the report of a migration. Needs neither the stack nor its state. Returns the exit code.
 *
 * @throws CliRefusal if there is no event log
 */
export async function report(fullName: string, { json, directory: asked }: ReportOptions): Promise<number> {
  // The event log has only the short name, even if the backend uses organization/project/stack.
  const stack = shortenStackName(fullName);
  const configured = () => readConfiguredDirectory(fullName);
  const { directory, log } = await findEventLog(stack, { asked, configured });
  const made = buildReport(log, stack);
  if (made === undefined) return refusalExitCode;
  if (json) {
    console.log(formatJson(made));
    return 0;
  }
  console.log(formatText(made, process.stdout.columns ?? 120));
  const key = resolveOwnIdentityPath(directory);
  const keyLine = fs.existsSync(key) ? `\nKey:        ${key} opens the backups: keep a copy elsewhere` : "";
  console.log(`\nEvent log:  ${directory}${keyLine}`);
  return 0;
}

/** Reads the configured directory; undefined if stack or pulumi is gone, because the event log outlives them. */
async function readConfiguredDirectory(stack: string): Promise<string | undefined> {
  try {
    const configuration = await createPulumi(stack).read(["config", "--json", "--show-secrets"]);
    // Loaded here, because the schema takes a moment to load.
    const { parseConfiguration } = require("../pulumi/configuration") as typeof import("../pulumi/configuration");
    const { chooseRecordsPlace } =
      require("../../core/config/stackStore") as typeof import("../../core/config/stackStore");
    return chooseRecordsPlace(parseConfiguration(stack, configuration));
  } catch (error) {
    if (!(error instanceof CliRefusal)) throw error;
    console.error(
      `(searching all event logs of this machine, because the stack's configuration can't be read: ${takeFirstLine(error.message)})`,
    );
    return undefined;
  }
}
