import { createHash, randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Creates a share of a key for `holder`, one of twelve who generated the key together. */
export function createKeyShare(holder: string, publicKey: string) {
  const Xi = randomBytes(32).toString("hex");
  const others = Array.from({ length: 11 }, (_, index) => participantKey(`participant ${index}`));
  return {
    /** Compressed, in base64. */
    pub_key: publicKey,
    /** The secret and its check values. */
    local_data: { Xi, ShareID: shareIdOf(Xi, publicKey), PaillierSK: randomBytes(256).toString("hex") },
    participant_keys: [participantKey(holder), ...others].sort(),
    local_party_key: participantKey(holder),
  };
}

/** An orchestrator's share of the bridge's key, as stored in tss/localstate-<public key>.json. */
type KeyShare = ReturnType<typeof createKeyShare>;

/** Returns the name of a share's file in tss/. It contains the key in hexadecimal digits. */
export function keyShareName(publicKey: string): string {
  return `localstate-${Buffer.from(publicKey, "base64").toString("hex")}.json`;
}

/** True if tss/ has a share of this key. */
export function hasKeyShare(tss: string, publicKey: string): boolean {
  return existsSync(join(tss, keyShareName(publicKey)));
}

/** Reads a share. Throws if its key or its secret is damaged. */
export function readKeyShare(tss: string, publicKey: string): KeyShare {
  const share = JSON.parse(readFileSync(join(tss, keyShareName(publicKey)), "utf8")) as Partial<KeyShare>;
  const { local_data: data, participant_keys: participants } = share;
  if (!data || !Array.isArray(participants)) throw new Error("fail to unmarshal local state: missing local data");
  if (share.pub_key !== publicKey || shareIdOf(data.Xi, publicKey) !== data.ShareID) {
    throw new Error("local state is corrupted: share does not belong to public key");
  }
  return share as KeyShare;
}

/**
 * Returns the key that is generated after `current`. All participants derive the same key. An empty `current` gives the
 * first key.
 */
export function nextPublicKey(current: string): string {
  return Buffer.from(`02${createHash("sha256").update(`after ${current}`).digest("hex")}`, "hex").toString("base64");
}

/** Returns the uncompressed form of a compressed key, both in base64. An empty key stays empty. */
export function decompressed(publicKey: string): string {
  if (publicKey === "") return "";
  return Buffer.concat([Buffer.from([4]), Buffer.from(publicKey, "base64").subarray(1), Buffer.alloc(32)]).toString(
    "base64",
  );
}

const shareIdOf = (secret: string, publicKey: string) =>
  createHash("sha256").update(`${secret} of ${publicKey}`).digest("hex");
const participantKey = (name: string) => createHash("sha256").update(name).digest("base64");
