import * as pulumi from "@pulumi/pulumi";
import { extractRawConfig, parseConfig, type StackConfig } from "../core/config/config";
import { formatConfigFaults, project } from "../core/config/configFaults";
import { findPlainSecrets, hasMixedBlock, readStackFile } from "../core/config/secretKeys";
import { commandsFor } from "../core/util/commands";
import { warn } from "./log";

/** Reads the stack's configuration; no other code does. @throws RunError that names every problem */
export function readConfig(): StackConfig {
  const stack = pulumi.getStack();
  const { raw, apiEndpoint } = extractRawConfig(pulumi.runtime.allConfig());
  // The engine passes the names of secret keys in this variable, and the SDK does not expose them.
  const secret: unknown = JSON.parse(process.env.PULUMI_CONFIG_SECRET_KEYS ?? "null");
  if (Array.isArray(secret)) {
    const isSecret = (key: string) => secret.includes(`${project}:${key}`);
    const written = hasMixedBlock(raw, isSecret) ? readStackFile(process.cwd(), stack) : undefined;
    for (const warning of findPlainSecrets(raw, isSecret, stack, written)) void warn(warning);
  }
  const parsed = parseConfig(raw, stack);
  if ("config" in parsed) return { ...parsed.config, apiEndpoint };
  throw new pulumi.RunError(formatConfigFaults(stack, parsed.faults, "; nothing was changed", commandsFor(stack).up));
}
