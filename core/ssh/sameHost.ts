import { stripComment } from "./publicKey";
import type { SshTarget } from "./ssh";

type Machine = Partial<Pick<SshTarget, "address" | "hostKey">>;

/** True if two logins lead to one machine, which shows one host key under every name. */
export function isOneMachine(one: Pick<SshTarget, "hostKey">, other: Pick<SshTarget, "hostKey">): boolean {
  return stripComment(one.hostKey) === stripComment(other.hostKey);
}

/**
 * True if earlier facts of a machine still hold. A reinstall keeps the address and changes the host key. If a key is
 * missing, the address decides.
 */
export function isSameHost(earlier: Machine, now: Machine): boolean {
  if (earlier.address !== now.address) return false;
  if (!earlier.hostKey || !now.hostKey) return true;
  return stripComment(earlier.hostKey) === stripComment(now.hostKey);
}
