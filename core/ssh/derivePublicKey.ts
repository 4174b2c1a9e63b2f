import ssh2 from "ssh2";

// Apart from publicKey.ts, which the simulation loads without packages.

/** Returns a private key's public half as an authorized_keys line; undefined if the key can't be read. */
export function derivePublicKey(privateKey: string, phrase: string | undefined): string | undefined {
  const parsed = ssh2.utils.parseKey(privateKey, phrase);
  const [key] = [parsed].flat();
  return key === undefined || key instanceof Error ? undefined : `${key.type} ${key.getPublicSSH().toString("base64")}`;
}
