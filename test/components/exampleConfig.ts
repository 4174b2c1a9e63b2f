import { parseConfig, type StackConfig } from "../../core/config/config";

/** The least that a stack must say. */
export const least = {
  pillar: { name: "Anvil" },
  host: { provider: "existing", address: "203.0.113.7" },
  ssh: { password: "login-pw" },
  controller: { release: { url: "https://release.example/node-controller.zip" } },
};

/** A configuration: the least, with these keys instead. */
export function configOf(changes: Record<string, unknown> = {}): StackConfig {
  const parsed = parseConfig({ ...least, ...changes }, "prod");
  if ("faults" in parsed) throw new Error(parsed.faults.join("\n"));
  return parsed.config;
}

/** The faults of the least with these keys instead; none where it is accepted. */
export function faultsOf(changes: Record<string, unknown>): string[] {
  const parsed = parseConfig({ ...least, ...changes }, "prod");
  return "faults" in parsed ? parsed.faults : [];
}
