import * as pulumi from "@pulumi/pulumi";
import { extractRawConfig, parseConfig, type StackConfig } from "../core/config/config";
import { formatConfigFaults } from "../core/config/configFaults";
import { findPlainSecrets } from "../core/config/secretKeys";
import { openStackStore } from "../core/config/stackStore";
import { releaseHashFault } from "../core/orchestrator/checks/releaseHash";
import { commandsFor } from "../core/util/commands";
import { type LastRun, readLastRun } from "./lastRun";
import { warn } from "./log";
import { checkRetirement } from "./retirement/checkRetirement";

/** Reads configuration and last run, which no other code does, and checks a retirement. @throws RunError */
export async function prepareRun(): Promise<{ readonly config: StackConfig; readonly last: LastRun }> {
  const config = readConfig();
  // Fails early, with a clear error, if the event log is in another store or its bucket can't be read.
  const store = openStackStore(config);
  if (config.store !== undefined) await store.readLines();
  const last = await readLastRun();
  if (config.lifecycle === "retiring") await checkRetirement(config, last);
  if (config.lifecycle !== "active") return { config, last };
  const isShown = last.orchestrator?.attempt === config.orchestrator.attempt;
  const fault = await releaseHashFault(config, config.stack, isShown);
  if (fault !== undefined) refuse(config.stack, [fault]);
  return { config, last };
}

function readConfig(): StackConfig {
  const stack = pulumi.getStack();
  const { raw, apiEndpoint } = extractRawConfig(pulumi.runtime.allConfig());
  for (const warning of findPlainSecrets(process.cwd(), stack, raw)) void warn(warning);
  const parsed = parseConfig(raw, stack);
  return "config" in parsed ? { ...parsed.config, apiEndpoint } : refuse(stack, parsed.faults);
}

function refuse(stack: string, faults: readonly string[]): never {
  throw new pulumi.RunError(formatConfigFaults(stack, faults, "; nothing was changed", commandsFor(stack).up));
}
