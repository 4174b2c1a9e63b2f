import type * as pulumi from "@pulumi/pulumi";
import { listKeysOfRun, parseWholeConfig, type StackConfig } from "../../core/config/config.ts";
import { formatConfigFaults } from "../../core/config/configFaults.ts";
import type { SshTarget } from "../../core/ssh/ssh.ts";
import { commandsFor } from "../../core/util/commands.ts";

/** A resource's host in the state. How to log in to it, and all settings, are in the configuration. */
export type HostIdentity = Pick<SshTarget, "address" | "hostKey"> & {
  readonly stack: string;
  /** Changes once the host lost what was set up on it (providers/hostSetUp.ts). */
  readonly setUp?: string | undefined;
};

let raw: Readonly<Record<string, unknown>> = {};

/**
 * Keeps the stack's configuration, which the engine sends once to each provider: that of this `up`; in a destroy that of
 * the last `up`, even of one that failed. Must not wait: the SDK uses a provider before its `configure` has ended.
 */
export async function configure({ config }: pulumi.dynamic.ConfigureRequest): Promise<void> {
  const values = listKeysOfRun().map((key) => [key, config.get(key)] as const);
  raw = Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** Parses the stack's configuration, and reads private keys' files. @throws Error for the operator with each fault */
export function readStackConfig(stack: string): StackConfig {
  const parsed = parseWholeConfig(raw, stack);
  if ("config" in parsed) return parsed.config;
  throw new Error(formatConfigFaults(stack, parsed.faults, "", commandsFor(stack).up));
}
