import { createCipheriv, createDecipheriv, randomBytes, randomInt, scryptSync } from "node:crypto";
import { addressFrom } from "./address";

/** A producer key store as it lies in `<dataDir>/wallet/producer`. */
export interface KeyStore {
  baseAddress: string;
  crypto: { salt: string; nonce: string; cipherName: "aes-256-gcm"; cipherData: string };
  timestamp: number;
  version: 1;
}

/** Makes a key store with a new seed, closed with `password`. */
export function createKeyStore(password: string, timestamp = Math.floor(Date.now() / 1000)): KeyStore {
  const seed = randomBytes(32);
  const salt = randomBytes(16);
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key(password, salt), nonce);
  const sealed = Buffer.concat([cipher.update(seed), cipher.final(), cipher.getAuthTag()]);
  return {
    baseAddress: addressFrom(seed),
    crypto: { salt: hex(salt), nonce: hex(nonce), cipherName: "aes-256-gcm", cipherData: hex(sealed) },
    timestamp,
    version: 1,
  };
}

/** The address in a key store, proved with its password; throws on a wrong one, as the real tools do. */
export function openKeyStore(store: KeyStore, password: string): string {
  const sealed = bytes(store.crypto.cipherData);
  const decipher = createDecipheriv("aes-256-gcm", key(password, bytes(store.crypto.salt)), bytes(store.crypto.nonce));
  decipher.setAuthTag(sealed.subarray(-16));
  const seed = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  return addressFrom(seed);
}

/** A password as the controller makes it: 16 characters, symbols included, so that no filter may rely on letters. */
export function randomPassword(length = 16): string {
  const characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
  return Array.from({ length }, () => characters[randomInt(characters.length)]).join("");
}

// A small cost: thousands of these are opened in tests, and nothing here guards money.
const key = (password: string, salt: Buffer) => scryptSync(password, salt, 32, { N: 1024 });
const hex = (buffer: Buffer) => buffer.toString("hex");
const bytes = (text: string) => Buffer.from(text, "hex");
