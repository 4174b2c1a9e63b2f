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
