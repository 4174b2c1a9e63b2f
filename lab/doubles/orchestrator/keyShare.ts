import { createHash, randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A signer's part of the bridge's key, as it lies in tss/localstate-<public key>.json. */
export interface KeyShare {
  /** Compressed, base64. */
  pub_key: string;
  /** The secret, and what belongs to it. */
  local_data: { Xi: string; ShareID: string; PaillierSK: string };
  /** Base64 public keys of all who took part. */
  participant_keys: string[];
  local_party_key: string;
}

/** A new share among `participants`, one of which is its holder, of the key that all of them made together. */
export function createKeyShare(holder: string, publicKey: string, participants = 12): KeyShare {
  const Xi = randomBytes(32).toString("hex");
  const others = Array.from({ length: participants - 1 }, (_, index) => participantKey(`participant ${index}`));
  return {
    pub_key: publicKey,
    local_data: { Xi, ShareID: shareIdOf(Xi, publicKey), PaillierSK: randomBytes(256).toString("hex") },
    participant_keys: [participantKey(holder), ...others].sort(),
    local_party_key: participantKey(holder),
  };
}

/** The name of a share's file in tss/, which has the key in hexadecimal digits. */
export function keyShareName(publicKey: string): string {
  return `localstate-${Buffer.from(publicKey, "base64").toString("hex")}.json`;
}

/** Whether the share of this key lies in tss/. */
export function hasKeyShare(tss: string, publicKey: string): boolean {
  return existsSync(join(tss, keyShareName(publicKey)));
}

/** Reads a share; throws on one that is damaged in any byte that matters. */
export function readKeyShare(tss: string, publicKey: string): KeyShare {
  const share = JSON.parse(readFileSync(join(tss, keyShareName(publicKey)), "utf8")) as Partial<KeyShare>;
  const { local_data: data, participant_keys: participants } = share;
  if (!data || !Array.isArray(participants)) throw new Error("fail to unmarshal local state: missing local data");
  if (share.pub_key !== publicKey || shareIdOf(data.Xi, publicKey) !== data.ShareID) {
    throw new Error("local state is corrupted: share does not belong to public key");
  }
  return share as KeyShare;
}

export function writeKeyShare(tss: string, share: KeyShare): void {
  writeFileSync(join(tss, keyShareName(share.pub_key)), JSON.stringify(share), { mode: 0o655 });
}

/** The key that signers make after this one, which all of them know alike; of none, a first one. */
export function nextPublicKey(current: string): string {
  return Buffer.from(`02${createHash("sha256").update(`after ${current}`).digest("hex")}`, "hex").toString("base64");
}

/** Of a compressed key the long form, both base64; of none, none. */
export function decompressed(publicKey: string): string {
  if (publicKey === "") return "";
  return Buffer.concat([Buffer.from([4]), Buffer.from(publicKey, "base64").subarray(1), Buffer.alloc(32)]).toString(
    "base64",
  );
}

const shareIdOf = (secret: string, publicKey: string) =>
  createHash("sha256").update(`${secret} of ${publicKey}`).digest("hex");
const participantKey = (name: string) => createHash("sha256").update(name).digest("base64");
