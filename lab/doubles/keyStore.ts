import { createCipheriv, createDecipheriv, randomBytes, randomInt, scryptSync } from "node:crypto";
import { addressFrom } from "./address.ts";

/** Producer key store, as stored in `<dataDir>/wallet/producer`. */
export interface KeyStore {
  baseAddress: string;
  crypto: { salt: string; nonce: string; cipherName: "aes-256-gcm"; cipherData: string };
  timestamp: number;
  version: 1;
}

/** Creates a key store with a new seed, encrypted with `password`. */
export function createKeyStore(password: string): KeyStore {
  const seed = randomBytes(32);
  const salt = randomBytes(16);
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key(password, salt), nonce);
  const sealed = Buffer.concat([cipher.update(seed), cipher.final(), cipher.getAuthTag()]);
  return {
    baseAddress: addressFrom(seed),
    crypto: { salt: hex(salt), nonce: hex(nonce), cipherName: "aes-256-gcm", cipherData: hex(sealed) },
    timestamp: Math.floor(Date.now() / 1000),
    version: 1,
  };
}

/** Decrypts a key store and returns its address. Throws if the password is wrong, as the real tools do. */
export function openKeyStore(store: KeyStore, password: string): string {
  const sealed = bytes(store.crypto.cipherData);
  const decipher = createDecipheriv("aes-256-gcm", key(password, bytes(store.crypto.salt)), bytes(store.crypto.nonce));
  decipher.setAuthTag(sealed.subarray(-16));
  const seed = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  return addressFrom(seed);
}

/** Returns a password like the controller's: 16 characters with symbols, so that no filter may assume letters. */
export function randomPassword(): string {
  const characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
  return Array.from({ length: 16 }, () => characters[randomInt(characters.length)]).join("");
}

// Low cost: tests open thousands of key stores, and none of them protects money.
const key = (password: string, salt: Buffer) => scryptSync(password, salt, 32, { N: 1024 });
const hex = (buffer: Buffer) => buffer.toString("hex");
const bytes = (text: string) => Buffer.from(text, "hex");
