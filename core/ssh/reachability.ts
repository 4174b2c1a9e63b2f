import { type Clock, systemClock } from "../util/clock";
import { type Commands, someHostKey } from "../util/commands";
import { takeFirstLine } from "../util/firstLine";
import { printable } from "../util/printable";
import { formatProblem, type Problem } from "../util/problem";
import { say } from "../util/say";
import { withTimeout } from "../util/withTimeout";
import { agentNeeds } from "./agentKeys";
import { findOtherUser, frameScript, readAnswer } from "./answer";
import { derivePublicKey } from "./derivePublicKey";
import { createServerName, formatConsoleHelp, formatOwnServer, type OwnServer } from "./ownServer";
import { connectSsh, type SshSession, type SshTarget } from "./ssh";
import { createLoginRefusal, isFatal, type LoginError } from "./sshErrors";

export interface ReachDeps extends Pick<Clock, "ticks" | "sleep"> {
  /** Logs in and out, and returns the milliseconds of the login. @throws as tryLogin does */
  login(target: SshTarget): Promise<number>;
  say(line: string): void;
}

export const reachDeps: ReachDeps = {
  login: async (target) => {
    const session = await tryLogin(target);
    session.close();
    return session.tookMs;
  },
  ...systemClock,
  say,
};

const retryDelaysMs = {
  first: 2000,
  /** Longer: a firewall that limits new connections counts refused ones, too. */
  later: 8000,
  /** Longest: each refused login counts towards a ban. */
  refused: 20_000,
};
const reportIntervalMs = 30_000;
/** Longer than a reboot takes: after that something is wrong with the host. */
export const bootTimeoutMs = 60_000;

/** Formats a line on a slow login. */
export const formatSlowLogin = (address: string, tookMs: number): string[] =>
  tookMs < 10_000
    ? []
    : [
        `the login to ${address} took ${Math.round(tookMs / 1000)} s, and each step logs in: is sshd's UseDNS or PAM slow?`,
      ];
interface BootWait {
  readonly timeoutMs: number;
  readonly what: string;
  /** True at the server's first boot: another key or a refused login is accepted until cloud-init has finished. */
  readonly isNew: boolean;
}

const reboot: BootWait = { timeoutMs: bootTimeoutMs, what: "a host that boots", isNew: false };

/** Retries until an attempt succeeds, and reports the wait. Throws a permanent error at once, else the last error. */
export async function retryDuringBoot<T>(
  attempt: () => Promise<T>,
  deps: Omit<ReachDeps, "login">,
  { timeoutMs, what, isNew }: BootWait = reboot,
): Promise<T> {
  const begin = deps.ticks();
  const limitText = `waiting up to ${Math.round(timeoutMs / 1000)} s for ${what}`;
  let reportedAt: number | undefined;
  if (isNew) {
    // Say so at once: the first attempt alone may take 20 s.
    deps.say(limitText);
    reportedAt = 0;
  }
  let refusedAt: number | undefined;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const { message, refused, unreached } = error as LoginError;
      const waited = deps.ticks() - begin;
      if (refused) refusedAt ??= waited;
      // A host that has just booted refuses everybody but root for a while (pam_nologin).
      const mayPass = isNew
        ? waited - (refusedAt ?? waited) < bootTimeoutMs
        : reportedAt !== undefined && refused === "login";
      if ((isFatal(error) && !mayPass) || unreached === "unknownName" || waited >= timeoutMs) throw error;
      if (reportedAt === undefined || waited - reportedAt >= reportIntervalMs) {
        const progress = `waiting for ${what}, ${Math.round(waited / 1000)} s: ${takeFirstLine(message)}`;
        deps.say(reportedAt === undefined ? `${takeFirstLine(message)}: ${limitText}` : progress);
        reportedAt = waited;
      }
      const delayMs = waited < 3 * retryDelaysMs.first ? retryDelaysMs.first : retryDelaysMs.later;
      await deps.sleep(Math.min(refused === "login" ? retryDelaysMs.refused : delayMs, timeoutMs - waited));
    }
  }
}

/**
 * Logs in, and checks that the login runs commands. @throws as connectSsh does; also if the host asks for another user
 */
export async function tryLogin(target: SshTarget): Promise<SshSession> {
  const session = await connectSsh(target);
  const where = `${target.user}@${target.address}:${target.port}`;
  const script = frameScript("true", "shown");
  try {
    const running = session.run("bash -euo pipefail -s login", script);
    const printed = await withTimeout(running, 30_000, `${where} accepts the login, and runs no command within 30 s`);
    const user = readAnswer(script, printed).isDone ? undefined : findOtherUser(printed.stdout);
    if (user === undefined) return session;
    const what = `${where} runs nothing: "${printable(takeFirstLine(printed.stdout.trim()))}"`;
    throw createLoginRefusal("login", { what, needed: `log in as the user ${user} (pillar-host:ssh.user)` }, { user });
  } catch (error) {
    session.close();
    throw error;
  }
}

/** Waits until a login succeeds. `server`: the host, if it is this stack's cloud server. Throws in the operator's words. */
export async function waitForLogin(
  target: SshTarget,
  deps: ReachDeps,
  run: Commands,
  { server, isNew = false }: { readonly server?: OwnServer | undefined; readonly isNew?: boolean } = {},
): Promise<void> {
  const wait: BootWait = server
    ? { timeoutMs: isNew ? server.startTimeout : bootTimeoutMs, what: `${createServerName(server)} to boot`, isNew }
    : reboot;
  const begin = deps.ticks();
  try {
    const took = await retryDuringBoot(() => deps.login(target), deps, wait);
    for (const line of formatSlowLogin(target.address, took)) deps.say(line);
  } catch (error) {
    const failure = error as LoginError;
    const { message, refused } = failure;
    if (refused === "login") {
      const help = server ? `\n  ${formatConsoleHelp(server)}` : "";
      throw new Error(`${formatRefusedLogin(target, failure, run)}${help}`);
    }
    if (server) {
      const seconds = Math.round((deps.ticks() - begin) / 1000);
      const isUnused = isNew && server.isOrdered;
      throw new Error(formatOwnServer(server, { target, error: failure, seconds, isUnused }, run));
    }
    throw new Error(refused === "hostKey" ? `${message}\n${newKeyHelp(run)}` : formatSilentHost(target, failure, run));
  }
}

const newKeyHelp = ({ set, up }: Commands) =>
  `If the new key is right, as the host's console shows it: ${set("host.hostKey", someHostKey)} && ${up}`;

export function formatSilentHost(
  { address, port, user }: Omit<SshTarget, "hostKey">,
  { message, unreached, reason = message }: LoginError,
  run: Commands,
  waitedMs = bootTimeoutMs,
): string {
  const wait = waitedMs === 0 || unreached === "unknownName" ? "" : `, for ${waitedMs / 1000} s`;
  return formatProblem({
    what: `${address}: ${unreached === "closedEarly" ? "the ssh server closes every connection" : "no ssh server answers"}`,
    found: `${reason}${wait}`,
    needed: `make sshd reachable from here at pillar-host:host.address, on port ${port} (pillar-host:ssh.port)`,
    next: [
      `See it with: ssh -p ${port} ${user}@${address}`,
      `Start the host, or correct its address: ${run.set("host.address", "ADDRESS")}`,
      `Then: ${run.up}`,
    ],
  });
}

export function formatRefusedLogin(target: SshTarget, error: LoginError, run: Commands): string {
  const { message, what = message, user, isFromProxy } = error;
  if (user !== undefined)
    return formatProblem({
      what,
      needed: run.set(isFromProxy ? "ssh.proxy.user" : "ssh.user", user),
      next: `Then: ${run.up}`,
    });
  return formatProblem({
    what,
    ...(isFromProxy && target.proxy ? findLoginHelp(target.proxy, run, "ssh.proxy") : findLoginHelp(target, run)),
  });
}

function findLoginHelp(target: SshTarget, run: Commands, block = "ssh"): Omit<Problem, "what"> {
  const { address, port, user, privateKey, privateKeyPassword, password, agent } = target;
  const found: string[] = [];
  const needed: string[] = [];
  const keyFile = run.set(`${block}.privateKeyFile`, "FILE");
  if (privateKey !== undefined) {
    const line = derivePublicKey(privateKey, privateKeyPassword) ?? "(the key can't be read)";
    found.push(`the ssh key of pillar-host:${block} is not accepted`);
    needed.push(`add its line to ~${user}/.ssh/authorized_keys on the host: ${line}`, `or set another key: ${keyFile}`);
  } else if (agent) {
    found.push("no key of the ssh agent is accepted");
    needed.push(
      agentNeeds,
      `or name the right key's file: ${keyFile}; or, with a pass phrase: ssh-add -D && ssh-add FILE`,
    );
  }
  if (password !== undefined) {
    found.push(`the password pillar-host:${block}.password is not accepted`);
    needed.push(`set the right password (${run.setSecret(`${block}.password`)}), and let sshd accept passwords`);
  }
  return {
    found,
    needed,
    next: [
      `Is it another user? ${run.set(`${block}.user`, "USER")}`,
      `Then: ${run.up}`,
      `See it with: ssh -v -p ${port} ${user}@${address}`,
    ],
  };
}
