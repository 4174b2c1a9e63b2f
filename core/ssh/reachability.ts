import { type Clock, systemClock } from "../util/clock";
import { type Commands, someHostKey } from "../util/commands";
import { firstLine } from "../util/firstLine";
import { printable } from "../util/printable";
import { say } from "../util/say";
import { withTimeout } from "../util/withTimeout";
import { agentFound, agentKeys } from "./agentKeys";
import { framed, otherUser, readAnswer } from "./answer";
import { consoleHelp, nameOf, type OwnServer, ownServerText } from "./ownServer";
import { publicLineOf } from "./publicLine";
import { connectSsh, type SshSession, type SshTarget } from "./ssh";
import { isFatal, type LoginError, refusal } from "./sshErrors";

/** What reaching a host depends on. */
export interface ReachDeps extends Pick<Clock, "ticks" | "sleep"> {
  /** Logs in and leaves again. @returns milliseconds that it took @throws as tryLogin does */
  login(target: SshTarget): Promise<number>;
  say(line: string): void;
}

export const deps: ReachDeps = {
  login: async (target) => {
    const session = await tryLogin(target);
    session.close();
    return session.tookMs;
  },
  ...systemClock,
  say,
};

/** Milliseconds between attempts. */
const pauses = {
  first: 2000,
  /** A firewall that limits new connections counts refused ones, too: after some attempts they are spread. */
  later: 8000,
  /** Each refused login counts towards a ban. */
  refused: 20_000,
};
/** Lines on a login that took long, in milliseconds. */
export const slowLogin = (address: string, tookMs: number): string[] =>
  tookMs < 10_000
    ? []
    : [
        `the login to ${address} took ${Math.round(tookMs / 1000)} s: its sshd's UseDNS, or PAM? Each step logs in anew`,
      ];
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
      const next = waited < 3 * pauses.first ? pauses.first : pauses.later;
      await deps.sleep(Math.min(refused === "login" ? pauses.refused : next, limit - waited));
    }
  }
}

/**
 * Logs in, and sees that the login runs commands.
 *
 * @throws as connectSsh does; also where the host lets in only to say that another user is wanted
 */
export async function tryLogin(target: SshTarget): Promise<SshSession> {
  const session = await connectSsh(target);
  const where = `${target.user}@${target.address}:${target.port}`;
  const script = framed("true", "shown");
  try {
    const running = session.run("bash -euo pipefail -s login", script);
    const printed = await withTimeout(running, 30_000, `${where} lets in, and runs no command within 30 s`);
    const user = readAnswer(script, printed).isDone ? undefined : otherUser(printed.stdout);
    if (user === undefined) return session;
    const needed = `the user ${user} (pillar-host:ssh.user)`;
    throw refusal("login", `${where} runs nothing: "${printable(firstLine(printed.stdout.trim()))}"`, { needed, user });
  } catch (error) {
    session.close();
    throw error;
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
    const took = await whileItBoots(() => deps.login(target), deps, waiting);
    for (const line of slowLogin(target.address, took)) deps.say(line);
  } catch (error) {
    const { message, refused } = error as LoginError;
    if (server) {
      const seconds = Math.round((deps.ticks() - begin) / 1000);
      throw new Error(
        refused === "login"
          ? `${refusedText(target, error as LoginError, run)}\n${consoleHelp(server)}`
          : ownServerText(server, target, error as LoginError, seconds, isNew && server.isOrdered, run),
      );
    }
    if (refused === "login") throw new Error(refusedText(target, error as LoginError, run));
    throw new Error(
      refused === "hostKey" ? `${message}\n${newKeyHelp(run)}` : silentText(target, error as LoginError, run),
    );
  }
}

const newKeyHelp = ({ set, up }: Commands) =>
  `Where it is the right one, as the host's console shows it: ${set("host.hostKey", someHostKey)} && ${up}`;

/** What to say of a host that does not answer. @param waited milliseconds for which it was tried */
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

/** Says what a host or its proxy refused, and how it comes to accept it. */
export function refusedText(target: SshTarget, error: LoginError, run: Commands): string {
  const { message, what = message, user, isOfProxy } = error;
  if (user !== undefined)
    return [what, `  needed: ${run.set(isOfProxy ? "ssh.proxy.user" : "ssh.user", user)}`, `  Then: ${run.up}`].join(
      "\n",
    );
  return `${what}\n${isOfProxy && target.proxy ? loginHelp(target.proxy, run, "ssh.proxy") : loginHelp(target, run)}`;
}

/** What was offered to a host that refused it, and how it comes to accept it. @param block of the configuration */
function loginHelp(target: SshTarget, run: Commands, block = "ssh"): string {
  const { address, port, user, privateKey, privateKeyPassword, password, agent } = target;
  const lines: string[] = [];
  const keyFile = run.set(`${block}.privateKeyFile`, "FILE");
  if (privateKey !== undefined) {
    lines.push(
      `found: the ssh key of pillar-host:${block} is not accepted`,
      `needed: its line in ~${user}/.ssh/authorized_keys on the host: ${publicLineOf(privateKey, privateKeyPassword) ?? "(the key can't be read)"}`,
      `or another key: ${keyFile}`,
    );
  } else if (agent) {
    lines.push(
      "found: no key of the ssh agent is accepted (ssh-add -l shows them)",
      ...agentFound(agentKeys()),
      `needed: the right key's file: ${keyFile}; or, with a pass phrase: ssh-add -D && ssh-add FILE`,
    );
  }
  if (password !== undefined) {
    lines.push(
      `found: the password pillar-host:${block}.password is not accepted`,
      `needed: the right one (${run.setSecret(`${block}.password`)}), and an sshd that accepts passwords`,
    );
  }
  lines.push(
    `Is it another user? ${run.set(`${block}.user`, "USER")}`,
    `Then: ${run.up}`,
    `See it with: ssh -v -p ${port} ${user}@${address}`,
  );
  return lines.map((line) => `  ${line}`).join("\n");
}
