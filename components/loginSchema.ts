import ssh2 from "ssh2";
import { z } from "zod";
import { address, hostKey, port, word } from "./schemaParts";

const looksPrivate = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/;

/** What a login is made of. */
export const loginShape = {
  user: word,
  port,
  privateKey: z
    .string()
    .refine(
      (key) => !/^(ssh|ecdsa)-/.test(key.trim()),
      "found a public key, needed the private one (the file without .pub)",
    )
    .refine(
      (key) => looksPrivate.test(key) || /^(ssh|ecdsa)-/.test(key.trim()),
      "needed a private key (-----BEGIN OPENSSH PRIVATE KEY-----…)",
    )
    .transform((key) => `${key.trim()}\n`)
    .optional(),
  privateKeyPassword: z.string().min(1).optional(),
  password: z.string().min(1).optional(),
  agent: z.boolean(),
  sudoPassword: z.string().min(1).optional(),
};

/** Another host than the stack's own. What is left out of the login is pillar-host:ssh's. */
export const otherHostShape = {
  address,
  hostKey,
  ...loginShape,
  user: loginShape.user.optional(),
  port: loginShape.port.optional(),
  agent: loginShape.agent.optional(),
};

type KeyBlock = Parameters<typeof privateKeyFault>[0];

/** For `superRefine`: the block's private key can be opened. @param block its name below `pillar-host:` */
export const openableKey = (block: string) => (login: KeyBlock, context: z.RefinementCtx) => {
  const [key, message] = privateKeyFault(login, block) ?? [];
  if (key !== undefined) context.addIssue({ code: "custom", path: [key], message });
};

/** The fault of a private key that can't be opened: which key of the block, and what is wrong with it (pure). */
function privateKeyFault(
  { privateKey, privateKeyPassword }: { privateKey?: string | undefined; privateKeyPassword?: string | undefined },
  block: string,
): readonly [key: string, message: string] | undefined {
  if (privateKey === undefined || !looksPrivate.test(privateKey)) return undefined;
  const parsed = ssh2.utils.parseKey(privateKey, privateKeyPassword);
  if (!(parsed instanceof Error)) return undefined;
  if (/no passphrase/i.test(parsed.message)) {
    return [
      "privateKeyPassword",
      `missing: the private key has a pass phrase (pulumi config set --secret --path pillar-host:${block}.privateKeyPassword)`,
    ];
  }
  if (privateKeyPassword !== undefined && /passphrase|decrypt|integrity|bad|malformed/i.test(parsed.message))
    return ["privateKeyPassword", "does not open the private key"];
  return [
    "privateKey",
    "cannot be read: cut off, or of an unknown kind? Needed the whole text of the private key file (ssh-keygen -p -f FILE writes it in the usual form)",
  ];
}
