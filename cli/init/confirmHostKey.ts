import { readPresentedKey, type SshTarget } from "../../core/ssh/ssh.ts";
import { isSameMachine } from "../../core/util/hostPort.ts";
import { type Problem, ProblemError } from "../../core/util/problem.ts";
import { quote } from "../../core/util/quote.ts";
import { askConfirmation, isTerminal } from "../terminal/prompts.ts";
import { compareWithKnownHosts, type SshSettings } from "./sshSettings.ts";
import type { InitFlags } from "./stackText.ts";

const printKey = "ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub";
const compare = `compare the key on the host's console: ${printKey}`;

const refuse = (what: string, needed: Problem["needed"], next?: string) =>
  new ProblemError({ what: `${what}; nothing was written`, needed, next });

const describeKnownKey: Readonly<Record<ReturnType<typeof compareWithKnownHosts>, string>> = {
  same: "It is the same key as in your known_hosts, which somebody accepted on this machine before.\n",
  other: `WARNING: your known_hosts has ANOTHER key for this host. Either the server was installed anew, or somebody
intercepts this connection. Say yes only if you compared the key on the server's own console.\n`,
  unknown: "",
};

export interface HostKeyQuestion extends Pick<InitFlags, "hostKey" | "fingerprint" | "acceptHostKey"> {
  readonly option: string;
  readonly knownHosts: SshSettings["knownHosts"];
  readonly port: number;
  /** The stack's own host, if this question is about another one. */
  readonly newHost?: { readonly address?: string | undefined; readonly hostKey?: string | undefined };
  readonly proxy?: SshTarget | undefined;
}

/** Returns the given host key, or the presented one once the operator has compared it. @throws Refusal */
export async function confirmHostKey(
  address: string,
  { hostKey, fingerprint, acceptHostKey, option, port, proxy, knownHosts, newHost = {} }: HostKeyQuestion,
): Promise<string> {
  const refuseNewHost = (key?: string) => {
    if (isSameMachine(newHost, { address, hostKey: key }))
      throw refuse(`${address} is the new host itself`, "give the address of the Pillar's present host");
  };
  refuseNewHost(hostKey);
  if (hostKey !== undefined) return hostKey;
  const shown = await readPresentedKey(address, port, proxy);
  if (shown.fault !== undefined)
    throw refuse(
      shown.fault,
      shown.needed ?? `give the address of a server that answers, or --port PORT; behind a proxy: ${option}`,
    );
  const { key } = shown;
  refuseNewHost(key);
  const says = `${address} shows the host key ${shown.fingerprint}`;
  if (fingerprint === shown.fingerprint) return key;
  if (fingerprint !== undefined)
    throw refuse(
      says,
      `check the address and ${fingerprint}: if both are right, somebody may intercept the connection`,
    );
  if (acceptHostKey) {
    console.error(`${says}, accepted without a comparison (--accept-host-key)`);
    return key;
  }
  if (!isTerminal())
    throw refuse(says, compare, `If it is the same, run the command again with ${option} ${quote(key)}`);
  const known = describeKnownKey[compareWithKnownHosts(knownHosts, address, port, key)];
  console.error(
    `${address} shows this host key:\n\n    ${shown.fingerprint} (ED25519)\n\n${known}Compare it with the key in your provider's console, or on the server itself:\n  ${printKey}`,
  );
  if (await askConfirmation("Is it the same key?")) return key;
  throw refuse(`the host key of ${address} was not confirmed`, `check the address, and ${compare}`);
}
