import { formatAssignments } from "../core/ssh/shellWords";
import { connectSsh, type SshSession, type SshTarget } from "../core/ssh/ssh";
import { isFatal, type LoginError } from "../core/ssh/sshErrors";
import { say } from "../core/util/printable";
import { createProblemError } from "../core/util/problem";
import { defineResource, hasChanges } from "./runtime/dynamicResource";

/**
 * A server's login in the last run, and whether this state ordered the server. update authorizes a changed key by
 * logging in with the key before. create and delete do nothing: the provider installs the first key.
 */
export class LoginKey extends defineResource<LoginKeyInputs, LoginKeyOutputs>({
  type: "LoginKey",
  id: () => "login-key",
  create: async ({ isOrder }) => ({ isOrdered: isOrder }),
  update: async (olds, news) => {
    if (olds.publicKey !== news.publicKey) await authorizeKey(olds, news);
    return { isOrdered: isOrderedByState(olds, news) };
  },
  // The end of an order is no change, and neither is a new version of the script that authorizes.
  changes: (olds, news) => hasChanges(olds, news, "isOrder", "library"),
  secretInputs: ["target"],
  outputs: { isOrdered: "plain" },
}) {}

interface LoginKeyInputs {
  readonly target: SshTarget;
  /** The public half of the login's key, an authorized_keys line. */
  readonly publicKey: string;
  readonly library: string;
  readonly serverId: string;
  /** True if this run orders the server, or resumes an order that was interrupted. */
  readonly isOrder: boolean;
}

interface LoginKeyOutputs {
  /** True if this state ordered the server. An adopted server may belong to anybody. */
  readonly isOrdered: boolean;
}

/** Authorizes the new key by logging in with the old one. @throws if the host accepts neither, or can't be reached */
export async function authorizeKey(
  olds: Pick<LoginKeyInputs, "target">,
  news: Pick<LoginKeyInputs, "target" | "publicKey" | "library">,
  connect: (target: SshTarget) => Promise<SshSession> = connectSsh,
): Promise<void> {
  const { address, user } = news.target;
  const isAccepted = () =>
    connect(news.target).then(
      (session) => {
        session.close();
        return true;
      },
      (error: LoginError) => {
        if (error.refused === "login") return false;
        throw error;
      },
    );
  if (await isAccepted()) return;
  const { privateKey, privateKeyPassword } = olds.target;
  const session = await connect({ ...news.target, privateKey, privateKeyPassword }).catch((error: Error) => {
    if (!isFatal(error)) throw error;
    throw createProblemError({
      what: `${address} accepts neither the new ssh key (pillar-host:ssh) nor the one before it`,
      needed: `set the previous key again, or add this line to /root/.ssh/authorized_keys in the provider's console: ${news.publicKey}`,
      next: "Then run the same command again.",
    });
  });
  const script = `${formatAssignments({ host_name: address, user, line: news.publicKey })}${news.library}
authorize_in "$(getent passwd "$user" | cut -d: -f6)" "$line"\n`;
  const { exitCode, stderr } = await session.run("bash -euo pipefail -s", script).finally(() => session.close());
  if (exitCode !== 0) throw new Error(`${address}: the new ssh key could not be authorised: ${stderr.trim()}`);
  if (!(await isAccepted()))
    throw createProblemError({
      what: `${address} refuses the new ssh key, although ${user}'s login was told to add it to ~/.ssh/authorized_keys`,
      needed: `use a login shell and start files that run commands: ssh ${user}@${address} 'echo works' must print works`,
    });
  say(`the changed ssh key was authorised on ${address} by a login with the previous one, which stays authorised`);
}

/** True if this state ordered the server: the answer of an earlier run about the same server stays. */
export function isOrderedByState(olds: Partial<LoginKeyInputs & LoginKeyOutputs>, news: LoginKeyInputs): boolean {
  return olds.serverId === news.serverId ? olds.isOrdered === true : news.isOrder;
}
