import { z } from "zod";
import { resolvePath } from "../util/resolvePath.ts";
import { ownAddress } from "./nodeSchema.ts";
import { otherOrchestrator } from "./orchestratorSchema.ts";
import { checkPrivateKey, describeUnreadableKey, isPrivateKey, readKeyFile } from "./privateKey.ts";
import { address, hostKey, ipAddress, ownDirectory, port, service, word } from "./schemaParts.ts";

const optionalText = z.string().min(1).optional();

const loginShape = {
  user: word.describe("The login's user; a user other than `root` becomes root with sudo"),
  port: port.describe("The port of the ssh server"),
  agent: z.boolean().describe("Logs in with the ssh agent of the shell that runs `pulumi`"),
  privateKeyFile: optionalText.meta({
    description:
      "The private key's file. Every run and every destroy reads it; the state keeps its text as a secret, for the steps; the stack's file never has it",
    form: "local path",
    examples: ["~/.ssh/id_ed25519"],
  }),
  privateKey: z
    .string()
    .refine(isPrivateKey, "needed a private key, the file without .pub (-----BEGIN OPENSSH PRIVATE KEY-----…)")
    .optional()
    .meta({ description: "The private key itself: the text of its file", secret: true }),
  privateKeyPassword: optionalText.meta({ description: "The private key's pass phrase", secret: true }),
  password: optionalText.meta({ description: "The password to log in with", secret: true }),
  sudoPassword: optionalText.meta({ description: "The password for sudo, if sudo asks for one", secret: true }),
};

export const loginRule =
  "Without a private key, password or agent here, those of `pillar-host:ssh` are used; else none of them";

const otherwise = "as in `ssh`";

const someHost = {
  address: address.describe("The host's IP address or name"),
  hostKey: hostKey.describe("The host's ssh key; a host that shows another key is refused"),
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
  .transform(readPrivateKey)
  .optional()
  .describe(
    "A bastion: the host through which this one is reached. A login setting that is left out is taken from the block around it, except port and password",
  );

/** Keys of another host: its login, and the names of its node and orchestrator. */
export const otherHostShape = {
  ...someHost,
  proxy: proxy.meta({ otherwise }),
  sudoPassword: loginShape.sudoPassword.meta({ otherwise: `${otherwise}, for the same user` }),
  service: service.optional().meta({ description: "The systemd service of the node", otherwise: "`node.service`" }),
  dataDir: ownDirectory.optional().meta({ description: "The data directory of the node", otherwise: "`node.dataDir`" }),
  rpcAddress: ipAddress
    .optional()
    .meta({ description: "The IP address of the node's RPC as seen from that host", otherwise: `\`${ownAddress}\`` }),
  rpcPort: port.optional().meta({ description: "The RPC port of the node", otherwise: "`node.rpcPort`" }),
  orchestrator: otherOrchestrator,
};

type LoginKeys = Readonly<Partial<Record<"privateKeyFile" | "privateKey" | "privateKeyPassword", string>>>;

/** Replaces a login's `privateKeyFile` by the file's text, and checks that the private key opens. For `transform`. */
export function readPrivateKey<L extends LoginKeys>(login: L, context: z.RefinementCtx): L {
  const { privateKeyFile: file, privateKey, privateKeyPassword } = login;
  const refuse = (key: keyof LoginKeys, message: string) => {
    context.addIssue({ code: "custom", path: [key], message });
    return login;
  };
  if (file !== undefined && privateKey !== undefined)
    return refuse("privateKeyFile", "found privateKey, too; needed one of the two");
  const read = file === undefined ? { text: privateKey } : readKeyFile(file);
  const path = file === undefined ? "" : `${JSON.stringify(resolvePath(file))} `;
  if ("fault" in read) return refuse("privateKeyFile", `${path}${read.fault.wrong}; needed ${read.fault.needed}`);
  if (read.text === undefined) return login;
  const state = checkPrivateKey(read.text, privateKeyPassword);
  if (state === "locked") return refuse("privateKeyPassword", "needed the pass phrase of the private key");
  if (state === "wrongPhrase") return refuse("privateKeyPassword", "does not open the private key");
  if (state === "unreadable") {
    const { wrong, needed } = describeUnreadableKey(read.text, file);
    return refuse(file === undefined ? "privateKey" : "privateKeyFile", `${path}${wrong}; needed ${needed}`);
  }
  // The command plugin refuses a pass phrase for a key that has none.
  const isLocked = checkPrivateKey(read.text) !== "opens";
  const opening = { privateKeyPassword: isLocked ? privateKeyPassword : undefined };
  return { ...login, privateKey: `${read.text.trim()}\n`, ...opening };
}

export const sshSchema = z
  .strictObject({
    ...loginShape,
    user: loginShape.user.default("root"),
    port: loginShape.port.default(22),
    agent: loginShape.agent.default(false),
    proxy,
  })
  .refine(
    ({ privateKeyFile, privateKey, password, agent }) => privateKeyFile ?? privateKey ?? password ?? agent,
    "has no way to log in; needed agent: true, privateKeyFile (such as ~/.ssh/id_ed25519), privateKey or password",
  )
  .transform(readPrivateKey)
  .describe("The login. It needs the ssh agent, a key's file, a private key or a password");
