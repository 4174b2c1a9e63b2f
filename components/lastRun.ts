import * as pulumi from "@pulumi/pulumi";
import type { RegistrationOutput } from "../core/registration/registrationOutput";
import type { Remembered } from "../core/retirement/guardMemory";
import { isAddress } from "../core/util/address";
import type { OrchestratorShown } from "./orchestrator/orchestrator";

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
  readonly remembered?: Remembered;
}

/** Reads the last run's outputs. Call it before any resource is registered: the engine then overwrites the state. */
export async function readLastRun(): Promise<LastRun> {
  const last = new pulumi.StackReference(`${pulumi.getOrganization()}/${pulumi.getProject()}/${pulumi.getStack()}`);
  // Not with `apply`, which never runs for an output that a failed run left unknown.
  const names = ["nextStep", "host", "orchestrator", "retirement", "registration", "producerAddress", "remembered"];
  const [nextStep, host, orchestrator, retirement, registration, producer, remembered] = await Promise.all(
    names.map((name) => last.getOutputDetails(name)),
  );
  type Shown = Pick<LastRun, "address" | "fingerprint" | "hostKey" | "serverId">;
  const { address, fingerprint, hostKey, serverId } = (host?.value ?? {}) as Shown;
  return {
    finished: (nextStep?.value ?? nextStep?.secretValue) !== undefined,
    address,
    fingerprint,
    hostKey,
    serverId,
    nodeOff: (retirement?.value as { nodeOff?: boolean } | undefined)?.nodeOff ? true : undefined,
    orchestrator: orchestrator?.value as OrchestratorShown | undefined,
    registration: registration?.value as RegistrationOutput | undefined,
    // A value that is not an address counts as missing.
    producerAddress: isAddress(producer?.value) ? producer.value : undefined,
    remembered: remembered?.value as Remembered | undefined,
  };
}
