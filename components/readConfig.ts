import * as pulumi from "@pulumi/pulumi";
import { extractRawConfig, parseConfig, type StackConfig } from "../core/config/config";
import { formatConfigFaults } from "../core/config/configFaults";
import { findPlainSecrets } from "../core/config/secretKeys";
import { commandsFor } from "../core/util/commands";
import { warn } from "./log";

/** Reads the stack's configuration; no other code does. @throws RunError that names every problem */
export function readConfig(): StackConfig {
  const stack = pulumi.getStack();
  const { raw, apiEndpoint } = extractRawConfig(pulumi.runtime.allConfig());
  for (const warning of findPlainSecrets(process.cwd(), stack, raw)) void warn(warning);
  const parsed = parseConfig(raw, stack);
  if ("config" in parsed) return { ...parsed.config, apiEndpoint };
  throw new pulumi.RunError(formatConfigFaults(stack, parsed.faults, "; nothing was changed", commandsFor(stack).up));
}
