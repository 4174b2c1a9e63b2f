import * as pulumi from "@pulumi/pulumi";
import { extractRawConfig, parseWholeConfig, type StackConfig } from "../core/config/config.ts";
import { formatConfigFaults } from "../core/config/configFaults.ts";
import { findPlainSecrets } from "../core/config/secretKeys.ts";
import { openStackStore } from "../core/config/stackStore.ts";
import { type HostOutput, type LastRun, outputName, parseOutputs, type RunOutputs } from "../core/journey/outputs.ts";
import { askAboutOwnName, describeUnknownName } from "../core/registration/askAboutName.ts";
import { commandsFor } from "../core/util/commands.ts";
import { ProblemError } from "../core/util/problem.ts";
import { warn } from "./log.ts";
import { checkRetirement } from "./retirement/checkRetirement.ts";

/** The outputs of this run, some of which are known only later. */
export type OutputInputs = Inputs<Omit<RunOutputs, "host">> & { readonly host: HostInputs };
export type HostInputs = Inputs<HostOutput>;
type Inputs<T> = { readonly [K in keyof T]: pulumi.Input<pulumi.Unwrap<T[K]>> };

/** Reads configuration and last run, which no other code does, and checks a retirement. @throws */
export async function prepareRun(): Promise<{ readonly config: StackConfig; readonly last: LastRun }> {
  const config = readConfig();
  // Fails early, with a clear error, if the event log is in another store or its bucket can't be read.
  const store = openStackStore(config);
  if (config.store !== undefined) await store.readLines();
  const last = await readLastRun();
  if (config.lifecycle === "retiring") await checkRetirement(config, last);
  else await refuseUnknownName(config, last);
  return { config, last };
}

/** Refuses a name that no Pillar has, before hours of sync. Does not ask again for a Pillar that an earlier run saw. @throws */
export async function refuseUnknownName(config: StackConfig, last: LastRun): Promise<void> {
  if (last.registration?.address !== undefined && last.registration.pillar === config.pillar.name) return;
  // A login that no run has proved yet is not tried here.
  const answer = await askAboutOwnName(config, last.finished ? last : {});
  if (answer.kind !== "unknown") return;
  const problem = describeUnknownName(config, answer);
  throw new ProblemError({ ...problem, what: `${problem.what}; nothing was changed` });
}

function readConfig(): StackConfig {
  const stack = pulumi.getStack();
  const all = pulumi.runtime.allConfig();
  for (const warning of findPlainSecrets(process.cwd(), stack, extractRawConfig(all).raw)) void warn(warning);
  const parsed = parseWholeConfig(all, stack);
  if ("config" in parsed) return parsed.config;
  throw new pulumi.RunError(formatConfigFaults(stack, parsed.faults, "; nothing was changed", commandsFor(stack).up));
}

/** Reads the last run's outputs. Call it before any resource is registered: the engine then overwrites the state. */
async function readLastRun(): Promise<LastRun> {
  const last = new pulumi.StackReference(`${pulumi.getOrganization()}/${pulumi.getProject()}/${pulumi.getStack()}`);
  // Not with `apply`, which never runs for an output that a failed run left unknown.
  const { value, secretValue } = await last.getOutputDetails(outputName);
  return parseOutputs(value ?? secretValue);
}
