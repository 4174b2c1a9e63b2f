import { z } from "zod";
import { checkPrivateKey, isPrivateKey, isPublicKey } from "./privateKey";
import { address, hostKey, ownDirectory, port, service, word } from "./schemaParts";

const loginShape = {
  user: word.meta({ description: "The login's user; a user other than `root` becomes root with sudo" }),
  port: port.meta({ description: "The port of the ssh server" }),
  agent: z.boolean().meta({ description: "Logs in with the ssh agent of the shell that runs `pulumi`" }),
  privateKeyFile: z
    .string()
    .min(1)
    .optional()
    .meta({
      description:
        "The private key's file. Every run reads it; the state keeps its text as a secret, the stack's file never has it",
      form: "local path",
      examples: ["~/.ssh/id_ed25519"],
    }),
  privateKey: z
    .string()
    .refine((key) => !isPublicKey(key), "found a public key, needed the private one (the file without .pub)")
    .refine(
      (key) => isPrivateKey(key) || isPublicKey(key),
      "needed a private key (-----BEGIN OPENSSH PRIVATE KEY-----…)",
    )
    .transform((key) => `${key.trim()}\n`)
    .optional()
    .meta({ description: "The private key itself: the text of its file", secret: true }),
  privateKeyPassword: z.string().min(1).optional().meta({ description: "The private key's pass phrase", secret: true }),
  password: z.string().min(1).optional().meta({ description: "The password to log in with", secret: true }),
  sudoPassword: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "The password for sudo, if sudo asks for one", secret: true }),
};

export const loginRule =
  "Without a private key, password or agent here, those of `pillar-host:ssh` are used; else none of them";

const otherwise = "as in `ssh`";

const someHost = {
  address: address.meta({ description: "The host's IP address or name" }),
  hostKey: hostKey.meta({ description: "The host's ssh key; a host that shows another key is refused" }),
  user: loginShape.user.optional().meta({ otherwise }),
  port: loginShape.port.optional().meta({ otherwise }),
  agent: loginShape.agent.optional().meta({ otherwise }),
  privateKeyFile: loginShape.privateKeyFile.meta({ otherwise }),
  privateKey: loginShape.privateKey.meta({ otherwise }),
  privateKeyPassword: loginShape.privateKeyPassword.meta({ otherwise }),
  password: loginShape.password.meta({ otherwise }),
};

const proxy = z
  .strictObject({ ...someHost, port: someHost.port.meta({ otherwise: "22" }) })
  .superRefine((login: LoginKeys, context) => checkPrivateKeyOpens(login, context))
  .optional()
  .meta({
    description:
      "A bastion: the host through which this one is reached. A login setting that is left out is taken from the block around it, except port and password",
  });

export const otherHostShape = {
  ...someHost,
  proxy: proxy.meta({ otherwise }),
  sudoPassword: loginShape.sudoPassword.meta({ otherwise: `${otherwise}, for the same user` }),
};

export const otherNodeShape = {
  service: service.optional().meta({ description: "The systemd service of the node", otherwise: "`node.service`" }),
  dataDir: ownDirectory.optional().meta({ description: "The data directory of the node", otherwise: "`node.dataDir`" }),
  rpcPort: port.optional().meta({ description: "The RPC port of the node", otherwise: "`node.rpcPort`" }),
};

interface LoginKeys {
  readonly privateKeyFile?: string | undefined;
  readonly privateKey?: string | undefined;
  readonly privateKeyPassword?: string | undefined;
}

/** Checks that the block's private key can be opened, for `superRefine`. */
export const checkPrivateKeyOpens = (login: LoginKeys, context: z.RefinementCtx) => {
  const [key, message, isToBeSet] = findPrivateKeyFault(login) ?? [];
  if (key !== undefined) context.addIssue({ code: "custom", path: [key], message, params: { isToBeSet } });
};

export const sshSchema = z
  .strictObject({
    ...loginShape,
    user: loginShape.user.default("root"),
    port: loginShape.port.default(22),
    agent: loginShape.agent.default(false),
    proxy,
  })
  .refine(({ privateKeyFile, privateKey, password, agent }) => privateKeyFile ?? privateKey ?? password ?? agent, {
    message: "needed one of agent: true, privateKeyFile, privateKey or password",
    params: { isLogin: true },
  })
  .superRefine(checkPrivateKeyOpens)
  .meta({ description: "The login. It needs the ssh agent, a key's file, a private key or a password" });

/** Returns the configuration key at fault, and the fault. */
function findPrivateKeyFault({
  privateKeyFile,
  privateKey,
  privateKeyPassword,
}: LoginKeys): readonly [key: string, message: string, isToBeSet?: boolean] | undefined {
  if (privateKey === undefined || !isPrivateKey(privateKey)) return undefined;
  const state = checkPrivateKey(privateKey, privateKeyPassword);
  if (state === "opens") return undefined;
  if (state === "locked")
    return ["privateKeyPassword", "missing, but the private key is encrypted with a pass phrase", true];
  if (state === "wrongPhrase") return ["privateKeyPassword", "does not open the private key"];
  return [
    privateKeyFile === undefined ? "privateKey" : "privateKeyFile",
    "cannot be read: truncated, of a hardware token, or of an unknown kind? Needed the whole text of the private key's file (ssh-keygen -p -f FILE rewrites it in the usual form)",
  ];
}
