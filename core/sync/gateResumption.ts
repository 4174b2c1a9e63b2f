import { isSameHost } from "../ssh/sameHost";
import type { SshTarget } from "../ssh/ssh";

/** Facts that the last run of the gate stored: its host, and when the node was proved synced (ISO 8601). */
interface GateKept {
  readonly target: { readonly ssh: Partial<Pick<SshTarget, "address" | "hostKey">> };
  readonly syncedAt?: string | undefined;
}

/**
 * Decides what the gate does with the result of its last run. `stands`: keeps the proof, because a live producer never
 * has to wait, whatever else changed. `goesOn`: resumes the wait. `anew`: starts again, because the result belongs to
 * another machine or to the same one before a reinstall.
 */
export function gateResumption(kept: GateKept, now: Pick<GateKept, "target">): "stands" | "goesOn" | "anew" {
  if (!isSameHost(kept.target.ssh, now.target.ssh)) return "anew";
  return kept.syncedAt === undefined ? "goesOn" : "stands";
}
