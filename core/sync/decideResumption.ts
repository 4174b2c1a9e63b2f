import { isSameHost } from "../ssh/sameHost";
import type { SshTarget } from "../ssh/ssh";

/** Facts that the last run of the gate stored. `syncedAt` is ISO 8601. */
interface GateKept {
  readonly target: { readonly ssh: Partial<Pick<SshTarget, "address" | "hostKey">> };
  readonly syncedAt?: string | undefined;
}

/**
 * Decides what the gate does with its last result. `keep`: keeps the proof, because a live producer never has to
 * wait. `resume`: resumes the wait. `restart`: starts again, because the machine is another one or was reinstalled.
 */
export function decideResumption(kept: GateKept, now: Pick<GateKept, "target">): "keep" | "resume" | "restart" {
  if (!isSameHost(kept.target.ssh, now.target.ssh)) return "restart";
  return kept.syncedAt === undefined ? "resume" : "keep";
}
