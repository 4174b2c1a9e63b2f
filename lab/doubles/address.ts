import { createHash } from "node:crypto";

/** Matches every address of the network: 40 characters. */
export const addressForm = /^z1q[qpzr][02-9ac-hj-np-z]{36}$/;

const charset = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";

/** Returns the address that belongs to `seed`. The same seed always gives the same address. */
export function addressFrom(seed: string | Buffer): string {
  const digest = createHash("sha512").update(seed).digest();
  const kind = "qpzr"[digest.readUInt8(40) % 4];
  const body = Array.from(digest.subarray(0, 36), (byte) => charset[byte % charset.length]).join("");
  return `z1q${kind}${body}`;
}
