import type { RegistrationOutput } from "../registration/registration.ts";
import { isAddress } from "../util/address.ts";

/** The outputs of a run, as a stack's state has them. None of them is secret. */
export interface RunOutputs {
  readonly host: HostOutput;
  readonly sync?: object;
  readonly registration?: RegistrationOutput;
  /** Absent while the node is not synced and the address is not registered. */
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

/** Parses outputs of which each may be missing, or unknown. */
export function parseOutputs(outputs: Readonly<Partial<Record<keyof RunOutputs, unknown>>>): LastRun {
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
