import { isSameHost } from "../ssh/sameHost";
import type { SshTarget } from "../ssh/ssh";

/** Facts that the last run of the gate stored. `syncedAt` is ISO 8601. */
interface GateKept {
  readonly target: { readonly ssh: Partial<Pick<SshTarget, "address" | "hostKey">> };
  readonly syncedAt?: string | undefined;
}

/**
 * Decides what the gate does with its last result. `stands`: keeps the proof, because a live producer never has to
 * wait. `goesOn`: resumes the wait. `anew`: starts again, because the machine is another one or was reinstalled.
 */
export function gateResumption(kept: GateKept, now: Pick<GateKept, "target">): "stands" | "goesOn" | "anew" {
  if (!isSameHost(kept.target.ssh, now.target.ssh)) return "anew";
  return kept.syncedAt === undefined ? "goesOn" : "stands";
}
