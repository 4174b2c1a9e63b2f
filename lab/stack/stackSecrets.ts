import { createCipheriv, createDecipheriv, pbkdf2, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { wrapKey } from "../doubles/vault.ts";

type Block = Record<string, unknown>;

/** Returns the configuration with an encrypted value at a path such as `ssh.privateKey`. */
export function withSecured(config: Block, path: string, value: { readonly secure: string }): Block {
  const put = (block: unknown, [key = "", ...below]: readonly string[]): Block => {
    const values = (block ?? {}) as Block;
    return { ...values, [key]: below.length === 0 ? value : put(values[key], below) };
  };
  return put(config, `pillar-host:${path}`.split("."));
}

/** Text that the engine encrypts into a stack's file, to recognize the pass phrase. */
const proof = "pulumi";
const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/** Key of a stack's secrets. They are written as by the engine: `v1:nonce:text`, both in base64. */
export interface StackKey {
  encrypt(value: string): string;
  /** Decrypts a value. @throws if another key encrypted it */
  decrypt(secure: string): string;
}

/**
 * Derives the key of a pass phrase as the engine does (pkg/secrets/passphrase/manager.go and
 * sdk/go/common/resource/config/crypt.go of pulumi/pulumi). It does so once for all secrets of a stack; the engine
 * starts a process for each, which takes half a second of processor time.
 * @param salt `encryptionsalt` of the stack's file
 * @throws if it belongs to another pass phrase
 */
export async function openStackKey(salt: string, passphrase: string): Promise<StackKey> {
  const [, bytes, proved] = /^v1:([^:]+):(.*)$/.exec(salt) ?? [];
  if (bytes === undefined || proved === undefined)
    throw new Error(`encryptionsalt of the stack's file is not v1:salt:proof, but ${salt}`);
  const key = await promisify(pbkdf2)(passphrase, Buffer.from(bytes, "base64"), 1_000_000, 32, "sha256");
  const stackKey = stackKeyOf(key);
  if (stackKey.decrypt(proved) !== proof) throw new Error("encryptionsalt of the stack's file proves nothing");
  return stackKey;
}

/** Returns a stack's key made of these 32 bytes. */
function stackKeyOf(key: Buffer): StackKey {
  return {
    encrypt: (value) => {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce);
      const text = Buffer.concat([cipher.update(value, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return `v1:${nonce.toString("base64")}:${text.toString("base64")}`;
    },
    decrypt: (secure) => {
      const [nonce, text] = secure
        .split(":")
        .slice(1)
        .map((part) => Buffer.from(part, "base64"));
      if (nonce === undefined || text === undefined) throw new Error(`not v1:nonce:text: ${secure}`);
      const decipher = createDecipheriv(algorithm, key, nonce);
      decipher.setAuthTag(text.subarray(-tagBytes));
      return Buffer.concat([decipher.update(text.subarray(0, -tagBytes)), decipher.final()]).toString("utf8");
    },
  };
}

/** Part of a stack's file that says what protects its secrets. */
export interface Protection {
  readonly secretsprovider?: string;
  readonly encryptedkey?: string;
  readonly encryptionsalt?: string;
}

/** Returns a new key that the double of Vault opens, and its part of the stack's file. */
export function vaultKey(): { readonly key: StackKey; readonly protection: Protection & { secretsprovider: string } } {
  const key = randomBytes(32);
  return {
    key: stackKeyOf(key),
    protection: {
      secretsprovider: "hashivault://lab",
      encryptedkey: Buffer.from(wrapKey(key)).toString("base64"),
    },
  };
}
