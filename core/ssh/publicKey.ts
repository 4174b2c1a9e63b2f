import crypto from "node:crypto";

export function stripComment(line: string): string {
  return line.trim().split(/\s+/).slice(0, 2).join(" ");
}

/** Returns the fingerprint of an authorized_keys line as ssh and providers show it: `SHA256:…`. */
export function computeFingerprint(hostKey: string): string {
  const [, key = ""] = hostKey.split(" ");
  const digest = crypto.createHash("sha256").update(Buffer.from(key, "base64")).digest("base64");
  return `SHA256:${digest.replace(/=+$/, "")}`;
}

type Machine = Readonly<Partial<Record<"address" | "hostKey", string>>>;

type SetUp = { readonly setUp: string | undefined };

type Keyed = Required<Pick<Machine, "hostKey">>;

/** True if two logins lead to one machine, which shows one host key under every name. */
export function isOneMachine(one: Keyed, other: Keyed): boolean {
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

/** True if what was done on a machine is still on its disk, which may be set back under the same host key. */
export function isSameDisk(earlier: Machine & Partial<SetUp>, now: Machine & Partial<SetUp>): boolean {
  return isSameHost(earlier, now) && earlier.setUp === now.setUp;
}
