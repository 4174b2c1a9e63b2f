import crypto from "node:crypto";

/** An authorized_keys line without its comment. */
export function bareLine(line: string): string {
  return line.trim().split(/\s+/).slice(0, 2).join(" ");
}

/** `SHA256:…` of an authorized_keys line, as ssh and providers' consoles show it. */
export function fingerprintOf(hostKey: string): string {
  const [, key = ""] = hostKey.split(" ");
  const digest = crypto.createHash("sha256").update(Buffer.from(key, "base64")).digest("base64");
  return `SHA256:${digest.replace(/=+$/, "")}`;
}
