import { publicLineOf } from "./rpc/publicKey";
import { connectSsh, isFatal, type RefusedError, type SshTarget } from "./rpc/ssh";

/** The world, as a contact sees it. */
export interface ContactWorld {
  /** Logs in and leaves again. @throws as connectSsh does */
  login(target: SshTarget): Promise<void>;
  /** Milliseconds of a clock that never jumps. */
  ticks(): number;
  sleep(milliseconds: number): Promise<void>;
  say(line: string): void;
}

export const world: ContactWorld = {
  login: async (target) => (await connectSsh(target)).close(),
  ticks: () => performance.now(),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  say: (line) => console.log(line),
};

const pause = 2000;
/** A host that was made, started or rebooted just now: longer than that and something is wrong with it. */
export const patience = 60_000;

/**
 * Tries until it succeeds; says once that it waits.
 *
 * @throws what trying again can't mend, at once; else the last error, after `patience`
 */
export async function whileItBoots<T>(attempt: () => Promise<T>, world: Omit<ContactWorld, "login">): Promise<T> {
  const end = world.ticks() + patience;
  for (let said = false; ; said = true) {
    try {
      return await attempt();
    } catch (error) {
      const { message, refused } = error as RefusedError;
      // A host that just came up refuses everybody but root for a while (pam_nologin).
      const hopeless = isFatal(error) && !(said && refused === "login");
      // A name that nobody knows is misspelt; one that can't be looked up now may come.
      if (hopeless || /ENOTFOUND/.test(message) || world.ticks() >= end) throw error;
      if (!said) world.say(`${message}: waiting up to ${patience / 1000} s for a host that boots`);
    }
    await world.sleep(pause);
  }
}

/** Logs in once. @throws Error in the operator's words: what is wrong, and the command that mends it */
export async function contact(target: SshTarget, world: ContactWorld): Promise<void> {
  try {
    await whileItBoots(() => world.login(target), world);
  } catch (error) {
    const { message, refused } = error as RefusedError;
    if (refused === "login") throw new Error(`${message.split("\n")[0]}\n${loginHelp(target)}`);
    throw new Error(refused === "hostKey" ? `${message}\n${newKeyHelp}` : silentText(target, message));
  }
}

const newKeyHelp = "Where it is the right one: pulumi config set --path pillar-host:host.hostKey 'ssh-ed25519 AAAA…'";

/** What to say of a host that does not answer (pure). */
export function silentText({ address, port, user }: Omit<SshTarget, "hostKey">, found: string): string {
  const wait = /ENOTFOUND/.test(found) ? "" : `, for ${patience / 1000} s`;
  return [
    `${address}: ${/closed the connection/.test(found) ? "the ssh server lets nobody in" : "no ssh server answers"}`,
    `  found: ${found.replace(/^\S+: /, "")}${wait}`,
    `  needed: a running host at pillar-host:host.address, with sshd on port ${port} (pillar-host:ssh.port), reachable from here`,
    `  See it with: ssh -p ${port} ${user}@${address}`,
    "  Mend the host, or: pulumi config set --path pillar-host:host.address ADDRESS",
  ].join("\n");
}

/** What was offered to a host that refused it, and how it comes to accept it (pure). */
export function loginHelp(target: SshTarget, agentSocket = process.env.SSH_AUTH_SOCK): string {
  const { address, port, user, privateKey, privateKeyPassword, password, agent } = target;
  const lines: string[] = [];
  if (privateKey !== undefined) {
    lines.push(
      "found: the key pillar-host:ssh.privateKey is not accepted",
      `needed: its line in ~${user}/.ssh/authorized_keys on the host: ${publicLineOf(privateKey, privateKeyPassword) ?? "(the key can't be read)"}`,
      "or another key: pulumi config set --secret --path pillar-host:ssh.privateKey < FILE",
    );
  }
  if (password !== undefined) {
    lines.push(
      "found: the password pillar-host:ssh.password is not accepted",
      "needed: the right one (pulumi config set --secret --path pillar-host:ssh.password), and a sshd that takes passwords",
    );
  }
  if (agent) {
    lines.push(
      ...(agentSocket
        ? ["found: no key of the ssh agent is accepted (ssh-add -l shows them)", "needed: ssh-add FILE"]
        : ["found: no ssh agent here, SSH_AUTH_SOCK is not set", "needed: eval $(ssh-agent) && ssh-add FILE"]),
    );
  }
  lines.push(
    `Is it another user? pulumi config set --path pillar-host:ssh.user USER`,
    `See it with: ssh -v -p ${port} ${user}@${address}`,
  );
  return lines.map((line) => `  ${line}`).join("\n");
}
