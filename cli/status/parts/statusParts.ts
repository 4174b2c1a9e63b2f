import type { VersionGap } from "../../../core/chain/requiredVersions";
import type { UnknownSpork } from "../../../core/chain/sporks";
import type { Registration } from "../../../core/registration/registration";
import type { Unmet } from "../../../core/retirement/retirementFacts";
import type { PortResult } from "../../../core/ssh/portRules";
import { takeFirstLine } from "../../../core/util/printable";
import { type Result, toResult } from "../../../core/util/result";
import { withTimeout } from "../../../core/util/withTimeout";
import type { OrchestratorPart } from "./orchestratorPart";
import type { RewardsPart } from "./rewardsPart";

export interface SporksPart {
  readonly version?: string;
  readonly unknown: readonly UnknownSpork[];
}

export interface StatusParts {
  /** State of the node's unit; `wasShutDown`: true if a retirement shut it down for good. */
  readonly node: Result<{ readonly active: boolean; readonly masked: boolean; readonly wasShutDown?: true }>;
  readonly registration: Result<Registration>;
  readonly orchestrator: Result<OrchestratorPart>;
  /** Ports as this machine sees them, of an existing server only: the program sets a cloud server's firewall. */
  readonly ports: Result<readonly PortResult[]> | undefined;
  readonly rewards: Result<RewardsPart>;
  /** Unmet conditions of a destroy; undefined for an active stack, whose lifecycle forbids a destroy. */
  readonly destroy: Result<readonly Unmet[]> | undefined;
  /** `off`, `on`, or the name of another timer that restarts a synced node. Only set for an active stack. */
  readonly hourlyRestart: Result<string> | undefined;
  readonly sporks: Result<SporksPart>;
  readonly versions: Result<readonly VersionGap[]>;
}

export function createUnknownParts(lifecycle: string, problem: string): StatusParts {
  const isActive = lifecycle === "active";
  return {
    node: { problem },
    registration: { problem },
    orchestrator: { problem },
    rewards: { problem },
    sporks: { problem },
    versions: { problem },
    ports: undefined,
    destroy: isActive ? undefined : { problem },
    hourlyRestart: isActive ? { problem } : undefined,
  };
}

const partTimeoutMs = 40_000;

/** Reads a part within a timeout. The problem is the first line of the error. */
export async function readPart<T>(read: () => Promise<T>, timeoutMs = partTimeoutMs): Promise<Result<T>> {
  const late = `no answer within ${timeoutMs / 1000} s`;
  const result = await toResult((async () => withTimeout(read(), timeoutMs, late))());
  return "value" in result ? result : { problem: takeFirstLine(result.problem) || "an error without a message" };
}
