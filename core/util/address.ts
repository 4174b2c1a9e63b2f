/** True if a text has the form of an account's address, whatever its checksum. */
export const isAddress = (text: unknown): text is string =>
  typeof text === "string" && /^z1q[qpzr][02-9ac-hj-np-z]{36}$/.test(text);
