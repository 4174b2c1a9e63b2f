import { type Clock, systemClock } from "../util/clock";
import { type Commands, someHostKey } from "../util/commands";
import { firstLine } from "../util/firstLine";
import { say } from "../util/say";
import { consoleHelp, nameOf, type OwnServer, ownServerText } from "./ownServer";
import { publicLineOf } from "./publicLine";
import { connectSsh, type SshTarget } from "./ssh";
import { isFatal, type LoginError } from "./sshErrors";

/** What reaching a host depends on. */
export interface ReachDeps extends Pick<Clock, "ticks" | "sleep"> {
  /** Logs in and leaves again. @throws as connectSsh does */
  login(target: SshTarget): Promise<void>;
  say(line: string): void;
}

export const deps: ReachDeps = {
  login: async (target) => (await connectSsh(target)).close(),
  ...systemClock,
  say,
};

const pause = 2000;
/** Told so often, in milliseconds. */
const toldEvery = 30_000;
/** A host that was started or rebooted just now: longer than that and something is wrong with it. */
export const bootPatience = 60_000;

/** How a host that does not let in yet is waited for. */
export interface Waiting {
  /** Milliseconds. */
  readonly limit: number;
  /** As `a host that boots`. */
  readonly what: string;
  /** Its first boot: until cloud-init is through, another key or a refused login may pass. */
  readonly isNew: boolean;
}

const booting: Waiting = { limit: bootPatience, what: "a host that boots", isNew: false };

/**
 * Tries until it succeeds; says that it waits, and for how long already.
 *
 * @throws what trying again can't mend, at once; else the last error, after the limit
 */
export async function whileItBoots<T>(
  attempt: () => Promise<T>,
  deps: Omit<ReachDeps, "login">,
  { limit, what, isNew }: Waiting = booting,
): Promise<T> {
  const begin = deps.ticks();
  const limitText = `waiting up to ${Math.round(limit / 1000)} s for ${what}`;
  let told: number | undefined;
  if (isNew) {
    // It boots in any case, and the first attempt alone may take 20 s.
    deps.say(limitText);
    told = 0;
  }
  let refusedAt: number | undefined;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const { message, refused, unreached } = error as LoginError;
      const waited = deps.ticks() - begin;
      if (refused) refusedAt ??= waited;
      // A host that just came up refuses everybody but root for a while (pam_nologin).
      const mayPass = isNew ? waited - (refusedAt ?? waited) < bootPatience : told !== undefined && refused === "login";
      // A name that nobody knows is misspelt; one that can't be looked up now may come.
      if ((isFatal(error) && !mayPass) || unreached === "unknownName" || waited >= limit) throw error;
      if (told === undefined || waited - told >= toldEvery) {
        const so = `waiting for ${what}, ${Math.round(waited / 1000)} s: ${firstLine(message)}`;
        deps.say(told === undefined ? `${firstLine(message)}: ${limitText}` : so);
        told = waited;
      }
    }
    await deps.sleep(pause);
  }
}

/**
 * Logs in once.
 *
 * @param server the host, where this stack made it
 * @param isNew it boots for the first time
 * @throws Error in the operator's words: what is wrong, and the command that mends it
 */
export async function reach(
  target: SshTarget,
  deps: ReachDeps,
  run: Commands,
  server?: OwnServer,
  isNew = false,
): Promise<void> {
  const waiting: Waiting = server
    ? { limit: isNew ? server.startTimeout : bootPatience, what: `${nameOf(server)} to boot`, isNew }
    : booting;
  const begin = deps.ticks();
  try {
    await whileItBoots(() => deps.login(target), deps, waiting);
  } catch (error) {
    const { message, refused, what = message } = error as LoginError;
    if (server) {
      const seconds = Math.round((deps.ticks() - begin) / 1000);
      throw new Error(
        refused === "login"
          ? `${what}\n${loginHelp(target, run)}\n${consoleHelp(server)}`
          : ownServerText(server, target, error as LoginError, seconds, isNew && server.isOrdered, run),
      );
    }
    if (refused === "login") throw new Error(`${what}\n${loginHelp(target, run)}`);
    throw new Error(
      refused === "hostKey" ? `${message}\n${newKeyHelp(run)}` : silentText(target, error as LoginError, run),
    );
  }
}

const newKeyHelp = ({ set, up }: Commands) =>
  `Where it is the right one, as the host's console shows it: ${set("host.hostKey", someHostKey)} && ${up}`;

/** What to say of a host that does not answer (pure). @param waited milliseconds for which it was tried */
export function silentText(
  { address, port, user }: Omit<SshTarget, "hostKey">,
  { message, unreached, reason = message }: LoginError,
  run: Commands,
  waited = bootPatience,
): string {
  const wait = waited === 0 || unreached === "unknownName" ? "" : `, for ${waited / 1000} s`;
  return [
    `${address}: ${unreached === "closedEarly" ? "the ssh server closes every connection" : "no ssh server answers"}`,
    `  found: ${reason}${wait}`,
    `  needed: a running host at pillar-host:host.address, with sshd on port ${port} (pillar-host:ssh.port), reachable from here`,
    `  See it with: ssh -p ${port} ${user}@${address}`,
    `  Start the host, or correct its address: ${run.set("host.address", "ADDRESS")}`,
    `  Then: ${run.up}`,
  ].join("\n");
}

/** What was offered to a host that refused it, and how it comes to accept it (pure). */
export function loginHelp(target: SshTarget, run: Commands, agentSocket = process.env.SSH_AUTH_SOCK): string {
  const { address, port, user, privateKey, privateKeyPassword, password, agent } = target;
  const lines: string[] = [];
  if (privateKey !== undefined) {
    lines.push(
      "found: the ssh key of pillar-host:ssh is not accepted",
      `needed: its line in ~${user}/.ssh/authorized_keys on the host: ${publicLineOf(privateKey, privateKeyPassword) ?? "(the key can't be read)"}`,
      `or another key: ${run.set("ssh.privateKeyFile", "FILE")}`,
    );
  }
  if (password !== undefined) {
    lines.push(
      "found: the password pillar-host:ssh.password is not accepted",
      `needed: the right one (${run.setSecret("ssh.password")}), and an sshd that accepts passwords`,
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
    `Is it another user? ${run.set("ssh.user", "USER")}`,
    `Then: ${run.up}`,
    `See it with: ssh -v -p ${port} ${user}@${address}`,
  );
  return lines.map((line) => `  ${line}`).join("\n");
}
