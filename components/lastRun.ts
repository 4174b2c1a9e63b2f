import * as pulumi from "@pulumi/pulumi";
import type { RegistrationOutput } from "../core/registration/registration.ts";
import { isAddress } from "../core/util/address.ts";
import type { OrchestratorShown } from "./orchestrator/orchestrator.ts";

/** Outputs of the stack's last run; a failed run may have left none. */
export interface LastRun {
  /** True if the run finished, with all its steps. */
  readonly finished: boolean;
  readonly address?: string;
  readonly fingerprint?: string;
  readonly hostKey?: string;
  readonly serverId?: string;
  /** True if the node was shut down for retirement. */
  readonly nodeOff?: boolean;
  readonly orchestrator?: OrchestratorShown;
  readonly registration?: RegistrationOutput;
  readonly producerAddress?: string;
}

/** Reads the last run's outputs. Call it before any resource is registered: the engine then overwrites the state. */
export async function readLastRun(): Promise<LastRun> {
  const last = new pulumi.StackReference(`${pulumi.getOrganization()}/${pulumi.getProject()}/${pulumi.getStack()}`);
  // Not with `apply`, which never runs for an output that a failed run left unknown.
  const read = async <T>(name: string): Promise<T | undefined> => {
    const { value, secretValue } = await last.getOutputDetails(name);
    return (value ?? secretValue) as T | undefined;
  };
  const { address, fingerprint, hostKey, serverId } = (await read<Partial<LastRun>>("host")) ?? {};
  const producer = await read("producerAddress");
  return {
    finished: (await read("nextStep")) !== undefined,
    address,
    fingerprint,
    hostKey,
    serverId,
    nodeOff: (await read<{ nodeOff?: boolean }>("retirement"))?.nodeOff || undefined,
    orchestrator: await read("orchestrator"),
    registration: await read("registration"),
    // A value that is not an address counts as missing.
    producerAddress: isAddress(producer) ? producer : undefined,
  };
}
