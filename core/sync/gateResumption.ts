import { isSameHost } from "../ssh/sameHost";
import type { SshTarget } from "../ssh/ssh";

/** What the gate's last run kept: of which machine, and when its node was proved synced, ISO 8601. */
export interface GateKept {
  readonly target: { readonly ssh: Partial<Pick<SshTarget, "address" | "hostKey">> };
  readonly syncedAt?: string | undefined;
}

/**
 * What the gate does with what it kept: the proof stands, as a live producer is never waited for, whatever else
 * changed; the wait goes on; or it begins anew, since the proof was another machine's: a server that is gone, or what was
 * there before a reinstall.
 */
export function gateResumption(kept: GateKept, now: Pick<GateKept, "target">): "stands" | "goesOn" | "anew" {
  if (!isSameHost(kept.target.ssh, now.target.ssh)) return "anew";
  return kept.syncedAt === undefined ? "goesOn" : "stands";
}
