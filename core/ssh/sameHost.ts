import { bareLine } from "./publicKey";
import type { SshTarget } from "./ssh";

/** Which machine is meant. */
type Machine = Partial<Pick<SshTarget, "address" | "hostKey">>;

/** True if two logins lead to one machine: it shows one host key under every name. */
export function isOneMachine(one: Pick<SshTarget, "hostKey">, other: Pick<SshTarget, "hostKey">): boolean {
  return bareLine(one.hostKey) === bareLine(other.hostKey);
}

/**
 * Whether what was known of a machine holds of this one: one that was installed anew has the address, and a host key
 * of its own. Where none was recorded yet, the address decides, and the pinned key is recorded with this run.
 */
export function isSameHost(known: Machine, now: Machine): boolean {
  if (known.address !== now.address) return false;
  if (!known.hostKey || !now.hostKey) return true;
  return bareLine(known.hostKey) === bareLine(now.hostKey);
}
