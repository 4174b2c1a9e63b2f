import crypto from "node:crypto";
import ssh2 from "ssh2";

export function stripComment(line: string): string {
  return line.trim().split(/\s+/).slice(0, 2).join(" ");
}

/** Returns the fingerprint of an authorized_keys line as ssh and providers show it: `SHA256:…`. */
export function computeFingerprint(hostKey: string): string {
  const [, key = ""] = hostKey.split(" ");
  const digest = crypto.createHash("sha256").update(Buffer.from(key, "base64")).digest("base64");
  return `SHA256:${digest.replace(/=+$/, "")}`;
}

/** Returns a private key's public half as an authorized_keys line; undefined if the key can't be read. */
export function derivePublicKey(privateKey: string, phrase: string | undefined): string | undefined {
  const parsed = ssh2.utils.parseKey(privateKey, phrase);
  const [key] = [parsed].flat();
  return key === undefined || key instanceof Error ? undefined : `${key.type} ${key.getPublicSSH().toString("base64")}`;
}
