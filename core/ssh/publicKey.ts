import crypto from "node:crypto";
import ssh2 from "ssh2";

/** The authorized_keys line of a private key; undefined where the key can't be read (pure). */
export function publicLineOf(privateKey: string, phrase: string | undefined): string | undefined {
  const parsed = ssh2.utils.parseKey(privateKey, phrase);
  const [key] = [parsed].flat();
  return key === undefined || key instanceof Error ? undefined : `${key.type} ${key.getPublicSSH().toString("base64")}`;
}

/** An authorized_keys line without its comment (pure). */
export function bareLine(line: string): string {
  return line.trim().split(/\s+/).slice(0, 2).join(" ");
}

/** `SHA256:…` of an authorized_keys line, as ssh and providers' consoles show it (pure). */
export function fingerprintOf(hostKey: string): string {
  const [, key = ""] = hostKey.split(" ");
  const digest = crypto.createHash("sha256").update(Buffer.from(key, "base64")).digest("base64");
  return `SHA256:${digest.replace(/=+$/, "")}`;
}
