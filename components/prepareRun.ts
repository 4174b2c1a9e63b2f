import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../core/config/config";
import { formatConfigFaults } from "../core/config/configFaults";
import { openStackStore } from "../core/config/stackStore";
import { releaseHashFault } from "../core/orchestrator/checks/releaseHash";
import { commandsFor } from "../core/util/commands";
import { type LastRun, readLastRun } from "./lastRun";
import { checkRetirement } from "./retirement/checkRetirement";

/** Opens the event log's store, reads the last run's outputs and checks a retirement. @throws RunError */
export async function prepareRun(config: StackConfig, stack: string): Promise<LastRun> {
  // Fails early, with a clear error, if the event log is in another store or its bucket can't be read.
  const store = openStackStore(config);
  if (config.store !== undefined) await store.readLines();
  const last = await readLastRun();
  if (config.lifecycle === "retiring") await checkRetirement(config, last);
  if (config.lifecycle === "active") await checkReleaseHash(config, stack, last);
  return last;
}

/** Refuses a move of the orchestrator without a release's hash, unless last run or event log show that it has begun. */
async function checkReleaseHash(config: StackConfig, stack: string, { orchestrator }: LastRun): Promise<void> {
  const fault = await releaseHashFault(config, stack, orchestrator?.attempt === config.orchestrator.attempt);
  if (fault === undefined) return;
  throw new pulumi.RunError(formatConfigFaults(stack, [fault], "; nothing was changed", commandsFor(stack).up));
}
