import type { VersionGap } from "../../../core/chain/requiredVersions";
import type { Registration } from "../../../core/registration/registration";
import type { Unmet } from "../../../core/retirement/retirementFacts";
import type { PortFound } from "../../../core/ssh/portRules";
import type { OrchestratorPart } from "./orchestratorPart";
import type { Part } from "./part";
import type { RewardsPart } from "./rewardsPart";
import type { SporksPart } from "./sporksPart";

/** A condition that is not met, as status shows it: all in words. */
export type UnmetCondition = Omit<Unmet, "found"> & { readonly found?: readonly string[] };

export interface StatusParts {
  /** The node's unit; `wasShutDown`: a retirement shut it down, for good. */
  readonly node: Part<{ readonly active: boolean; readonly masked: boolean; readonly wasShutDown?: true }>;
  readonly registration: Part<Registration>;
  readonly orchestrator: Part<OrchestratorPart>;
  /** Seen from this machine. Only of a server that was there already: at a provider the program sets its firewall. */
  readonly ports: Part<readonly PortFound[]> | undefined;
  readonly rewards: Part<RewardsPart>;
  /** What stands in the way of a destroy. Not asked of an active stack: that one's lifecycle does, whatever else. */
  readonly destroy: Part<readonly UnmetCondition[]> | undefined;
  /** `off`; or, where the node has synced, `on`, or the other crontab or timer that restarts it. Only of an active stack. */
  readonly hourlyRestart: Part<string> | undefined;
  readonly sporks: Part<SporksPart>;
  readonly versions: Part<readonly VersionGap[]>;
  readonly newerRelease: string | undefined;
}

/** Nothing was asked. @param why in words that follow "not known: " */
export function createUnknownParts(lifecycle: string, why: string): StatusParts {
  const isActive = lifecycle === "active";
  return {
    node: { why },
    registration: { why },
    orchestrator: { why },
    rewards: { why },
    sporks: { why },
    versions: { why },
    ports: undefined,
    newerRelease: undefined,
    destroy: isActive ? undefined : { why },
    hourlyRestart: isActive ? { why } : undefined,
  };
}
