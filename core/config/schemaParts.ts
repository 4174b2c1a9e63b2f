import { z } from "zod";

/** Ends up in the shell's command lines and in patterns: plain words only. */
export const word = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, "needed a plain word of letters, digits, dot, dash and underscore")
  .meta({ form: "plain word" });

export const port = z.number().int().min(1).max(65535);
export const directory = z
  .string()
  .regex(/^(\/[A-Za-z0-9._-]+)+$/, "needed an absolute path without blanks")
  .meta({ form: "absolute path without blanks" });

/** Where a host is. */
export const address = z
  .string()
  .regex(/^[A-Za-z0-9.:-]+$/, "needed an IP address or a host name")
  .meta({ form: "IP address or name", needed: "the host's IP address or name" });

/** What it shows that it is: an authorized_keys line, kept without its comment. */
export const hostKey = z
  .string()
  .trim()
  .regex(
    // A line of ssh-keyscan or known_hosts begins with the address.
    /^([^ ]+ )?(ssh-ed25519|ecdsa-sha2-nistp(256|384|521)) [A-Za-z0-9+/=]+( .*)?$/,
    "needed a line such as `ssh-ed25519 AAAA…` (get it with: ssh-keyscan -t ed25519 ADDRESS)",
  )
  .transform((line) => /(ssh|ecdsa)-[^ ]+ [^ ]+/.exec(line)?.[0] ?? line)
  .meta({ form: "line as `ssh-ed25519 AAAA…`", needed: "the host's ssh key" });

/** The RPC of an independent node. */
export const rpcUrl = z
  .url({ protocol: /^https?$/, message: "needed the http or https address of a node's RPC" })
  .meta({ form: "http or https address" });

/** An address that a step's shell takes as a word. */
export const plainUrl = z
  .string()
  .regex(
    /^https?:\/\/[A-Za-z0-9.-]+(:[0-9]{1,5})?(\/[A-Za-z0-9._~/-]*)?$/,
    "needed an http or https address, such as https://go.dev",
  )
  .meta({ form: "http or https address" });

/** The hash of what is downloaded. @param what its name in messages, such as `archive` */
export const sha256 = (what: string) =>
  z
    .string()
    .toLowerCase()
    .regex(/^[0-9a-f]{64}$/, `needed 64 hexadecimal digits (sha256sum of the ${what})`)
    .optional()
    .meta({ form: "64 hexadecimal digits" });
