import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../core/config/config";
import { formatConfigFaults } from "../core/config/configFaults";
import { openStackStore } from "../core/config/stackStore";
import { releaseHashFault } from "../core/orchestrator/checks/releaseHash";
import { commandsFor } from "../core/util/commands";
import { type LastRun, readLastRun } from "./lastRun";
import { reportChainCopy } from "./node/copyAhead";
import { checkRetirement } from "./retirement/checkRetirement";

/**
 * Does what goes before all else in a run: opens the records, reads what the last run left, checks the conditions of a retirement.
 *
 * @throws RunError where a run can't begin
 */
export async function begin(config: StackConfig, stack: string): Promise<LastRun> {
  // Fails in words where the records are in another store, or in a bucket that can't be read.
  const store = openStackStore(config);
  if (config.store !== undefined) await store.lines();
  const last = await readLastRun();
  if (config.lifecycle === "retiring") await checkRetirement(config, last);
  if (config.lifecycle === "active") await checkReleaseHash(config, stack, last);
  if (pulumi.runtime.isDryRun()) await reportChainCopy(config, stack, last);
  return last;
}

/** Checks the hash of the release here: only last run and event log tell whether it is still needed. */
async function checkReleaseHash(config: StackConfig, stack: string, { signer }: LastRun): Promise<void> {
  const fault = await releaseHashFault(config, stack, signer?.attempt === config.orchestrator.attempt);
  if (fault === undefined) return;
  throw new pulumi.RunError(formatConfigFaults(stack, [fault], "; nothing was changed", commandsFor(stack).up));
}
