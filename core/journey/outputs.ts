import type { RegistrationOutput } from "../registration/registration.ts";
import { isAddress } from "../util/address.ts";

/** Facts that a run leaves for the next one and for `./pillar-host`. None of them is secret. */
export interface RunOutputs {
  readonly host: HostOutput;
  readonly sync?: object;
  readonly registration?: RegistrationOutput;
  /** Absent while the address is not registered, and the node not synced or the orchestrator not moved. */
  readonly producerAddress?: string | undefined;
  readonly orchestrator?: OrchestratorOutput;
  /** `nodeOff`: true if the node was shut down for retirement. */
  readonly retirement?: { readonly nodeOff: boolean };
  readonly nextStep: readonly string[];
}

type HostKeys = "address" | "hostKey" | "fingerprint" | "serverId" | "provider" | "plan" | "location";
export type HostOutput = Readonly<Partial<Record<HostKeys, string>>>;

export interface OrchestratorOutput {
  /** The host that the orchestrator is on: `old` or `new`. */
  readonly side: string;
  readonly address: string;
  readonly why: string;
  readonly attempt: number;
  readonly rpcPort: number;
  /** The version of getBuildInfo (docs/specification.md, 2.4). */
  readonly version?: string;
  /** The build's git commit, or `no commit`. */
  readonly gitCommit?: string;
  readonly goVersion?: string;
  readonly movedAt?: string;
  readonly secondsWithoutSigner?: number;
}

/** Outputs of a stack's last run; a failed run may have left none. `nodeOff`: the node was shut down for retirement. */
export type LastRun = HostOutput &
  Pick<RunOutputs, "registration" | "producerAddress" | "orchestrator"> &
  Partial<RunOutputs["retirement"]> & {
    /** True if the run finished, with all its steps. */
    readonly finished: boolean;
    /** True if the run did not wait for the sync: the engine stores outputs that are still unknown as a text. */
    readonly isAwaiting?: boolean | undefined;
  };

/**
 * Name of the stack's one output. The engine prints outputs below the next step or the error, in red after a refusal;
 * a name that begins with two underscores it stores and does not print.
 */
export const outputName = "__run";

/** Parses the output, of which each part may be missing, or unknown. */
export function parseOutputs(output: unknown): LastRun {
  const outputs = asBlock<Partial<Record<keyof RunOutputs, unknown>>>(output) ?? {};
  const { nextStep, producerAddress } = outputs;
  return {
    ...asBlock<HostOutput>(outputs.host),
    ...asBlock<NonNullable<RunOutputs["retirement"]>>(outputs.retirement),
    finished: Array.isArray(nextStep),
    isAwaiting: typeof nextStep === "string" || undefined,
    orchestrator: asBlock<OrchestratorOutput>(outputs.orchestrator),
    registration: asBlock<RegistrationOutput>(outputs.registration),
    // A value that is not an address counts as missing.
    producerAddress: isAddress(producerAddress) ? producerAddress : undefined,
  };
}

const asBlock = <T extends object>(value: unknown) =>
  typeof value === "object" && value !== null ? (value as T) : undefined;
