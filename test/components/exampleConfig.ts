import { parseConfig, type StackConfig } from "../../core/config/config.ts";

/** The least that a stack must say. */
export const least = {
  pillar: { name: "Anvil" },
  host: { provider: "existing", address: "203.0.113.7" },
  ssh: { password: "login-pw" },
  sync: { unverifiedChain: "acknowledged" },
  controller: { release: { url: "https://release.example/node-controller.zip" } },
};

/** Adds these keys to the smallest configuration. Acknowledges an unverified chain if they name no witness. */
function withChanges(changes: Record<string, unknown>): Record<string, unknown> {
  const { sync } = { ...least, ...changes } as { sync: unknown };
  const isBlock = typeof sync === "object" && sync !== null && !("references" in sync) && !("oldHost" in changes);
  return { ...least, ...changes, ...(isBlock ? { sync: { ...least.sync, ...sync } } : {}) };
}

/** Returns the smallest configuration with these keys. */
export function configOf(changes: Record<string, unknown> = {}): StackConfig {
  const parsed = parseConfig(withChanges(changes), "prod");
  if ("faults" in parsed) throw new Error(parsed.faults.join("\n"));
  return parsed.config;
}

/** Returns the faults of the smallest configuration with these keys. */
export function faultsOf(changes: Record<string, unknown>): string[] {
  const parsed = parseConfig(withChanges(changes), "prod");
  return "faults" in parsed ? parsed.faults : [];
}
