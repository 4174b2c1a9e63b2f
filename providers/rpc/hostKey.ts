import crypto from "node:crypto";

/** `SHA256:…` of an authorized_keys line, as ssh and providers' consoles show it (pure). */
export function fingerprintOf(hostKey: string): string {
  const [, key = ""] = hostKey.split(" ");
  const digest = crypto.createHash("sha256").update(Buffer.from(key, "base64")).digest("base64");
  return `SHA256:${digest.replace(/=+$/, "")}`;
}
