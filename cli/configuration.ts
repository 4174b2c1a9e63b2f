import { parseConfig, type StackConfig } from "../components/config";
import { faultsText, parseValue, project } from "../components/configFaults";
import { Refusal } from "./refusal";

/** The raw values of what `pulumi config --json --show-secrets` prints, without other projects' keys (pure). */
export function rawValues(text: string): Record<string, unknown> {
  const raw: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(JSON.parse(text) as Record<string, { value?: string }>)) {
    if (key.startsWith(`${project}:`) && entry.value !== undefined)
      raw[key.slice(project.length + 1)] = parseValue(entry.value);
  }
  return raw;
}

/** A stack's configuration (pure). @throws Refusal that names every fault, as `pulumi up` does */
export function configurationOf(stack: string, text: string): StackConfig {
  const parsed = parseConfig(rawValues(text));
  if ("config" in parsed) return parsed.config;
  throw new Refusal(faultsText(stack, parsed.faults, "", "this"));
}
