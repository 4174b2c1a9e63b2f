import * as pulumi from "@pulumi/pulumi";
import { type HostOutput, type LastRun, parseOutputs, type RunOutputs } from "../core/journey/outputs.ts";

/** The outputs of this run, some of which are known only later. */
export type OutputInputs = Inputs<Omit<RunOutputs, "host">> & { readonly host: HostInputs };
export type HostInputs = Inputs<HostOutput>;
type Inputs<T> = { readonly [K in keyof T]: pulumi.Input<pulumi.Unwrap<T[K]>> };

const names = ["host", "nextStep", "producerAddress", "retirement", "orchestrator", "registration"] as const;

/** Reads the last run's outputs. Call it before any resource is registered: the engine then overwrites the state. */
export async function readLastRun(): Promise<LastRun> {
  const last = new pulumi.StackReference(`${pulumi.getOrganization()}/${pulumi.getProject()}/${pulumi.getStack()}`);
  // Not with `apply`, which never runs for an output that a failed run left unknown.
  const read = async (name: keyof RunOutputs) => {
    const { value, secretValue } = await last.getOutputDetails(name);
    return [name, value ?? secretValue] as const;
  };
  return parseOutputs(Object.fromEntries(await Promise.all(names.map(read))));
}
