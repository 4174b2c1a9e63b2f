import os from "node:os";
import type { StackConfig } from "../../core/config/config.ts";
import { readKeyFile } from "../../core/config/privateKey.ts";
import { createProxyLogin } from "../../core/ssh/configuredLogin.ts";
import { ProblemError } from "../../core/util/problem.ts";
import { isTerminal } from "../terminal/prompts.ts";
import { confirmHostKey, type HostKeyQuestion } from "./confirmHostKey.ts";
import { readSshSettings } from "./sshSettings.ts";
import { checkKeyFile, hasPassphrase } from "./stackSecrets.ts";
import type { JumpHost } from "./stackText.ts";

type Login = Partial<StackConfig["ssh"]>;
/** A host, and the settings that this machine's ssh has for it. */
export type ReachedHost = JumpHost & { readonly proxy?: JumpHost | undefined };

interface ReachQuestion extends Omit<HostKeyQuestion, "port" | "proxy" | "knownHosts"> {
  /** The stack's own port and proxy, which count where ssh has none for this host. */
  readonly port: number;
  /** True if the port is an answer, so it counts whatever ssh has. */
  readonly isPortGiven?: boolean;
  readonly proxy?: JumpHost | undefined;
  /** Returns the login, for the jump host. Gets the private key's file that ssh has configured. */
  readonly login: (keyFile: string | undefined) => Promise<Login>;
}

/** Asks this machine's ssh how it reaches a host, and confirms its key, and that of a jump host. @throws Refusal */
export async function reachHost(destination: string, question: ReachQuestion): Promise<ReachedHost> {
  const { address, user, keyFile, knownHosts, jump, ...configured } = readSshSettings(destination);
  const port = (question.isPortGiven ? undefined : configured.port) ?? question.port;
  // Without a terminal nobody could confirm the jump host's key.
  const isJumpAsked = jump !== undefined && isTerminal() && question.hostKey === undefined;
  const own = isJumpAsked ? await confirmJumpHost(address, jump, question) : undefined;
  const way = own ?? question.proxy;
  const proxy = way && createProxyLogin({ ...(await question.login(keyFile)), proxy: { ...way, ...readKey(own) } });
  const hostKey = await confirmHostKey(address, { ...question, port, knownHosts, proxy });
  // A locked key would need a secret of the stack.
  const isUsable = keyFile !== undefined && checkKeyFile(keyFile) === undefined && !hasPassphrase(keyFile);
  return {
    address,
    hostKey,
    user,
    port: port === question.port ? undefined : port,
    privateKeyFile: isUsable ? keyFile : undefined,
    proxy: own,
  };
}

/** Returns the text of a login's key file. */
export function readKey({ privateKeyFile: file }: Pick<JumpHost, "privateKeyFile"> = {}): Pick<Login, "privateKey"> {
  const read = file === undefined ? undefined : readKeyFile(file);
  return read && "text" in read ? { privateKey: read.text } : {};
}

/** Returns the jump host; undefined if it is the stack's own proxy. */
async function confirmJumpHost(address: string, jump: string, { option, proxy }: ReachQuestion) {
  if (jump.includes(","))
    throw new ProblemError({
      what: `your ssh reaches ${address} through more than one jump host: ${jump}`,
      needed: "give a host that one jump host reaches, or none",
    });
  const [, destination = jump, at] = /^(?:ssh:\/\/)?(.*?)(?::(\d+))?$/.exec(jump) ?? [];
  const host = readSshSettings(destination);
  if (proxy?.address === host.address) return undefined;
  console.error(`Your ssh reaches ${address} through the jump host ${destination}, so the program will, too.`);
  const port = at === undefined ? host.port : Number(at);
  const hostKey = await confirmHostKey(host.address, { option, port: port ?? 22, knownHosts: host.knownHosts });
  const user = host.user ?? os.userInfo().username;
  return { address: host.address, hostKey, user, port, privateKeyFile: host.keyFile };
}
