import { systemClock } from "../util/clock.ts";
import { type Commands, someHostKey } from "../util/commands.ts";
import { printableLines, say, takeFirstLine } from "../util/printable.ts";
import { formatProblem, hasKind, ProblemError } from "../util/problem.ts";
import { withTimeout } from "../util/withTimeout.ts";
import { formatNotRun, frameScript, otherCommand, plainLogin, readAnswer } from "./answer.ts";
import { derivePublicKey } from "./derivePublicKey.ts";
import { agentNeeds, type LoginKeys } from "./login.ts";
import { beginAnew, createServerName, formatConsoleHelp, type OwnServer } from "./ownServer.ts";
import { connectSsh, type SshSession, type SshTarget } from "./ssh.ts";
import { isFatal, type LoginError } from "./sshErrors.ts";

export type ReachDeps = Omit<typeof reachDeps, "now">;

export const reachDeps = {
  /** Logs in and out. @throws as tryLogin does */
  login: async (target: SshTarget): Promise<void> => (await tryLogin(target)).close(),
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

/** `isNew`: true at a server's first boot: another key or a refused login is accepted until cloud-init has finished. */
const reboot = { timeoutMs: bootTimeoutMs, what: "a host that boots", isNew: false };

/** Retries until an attempt succeeds, and reports the wait. Throws a permanent error at once, else the last error. */
export async function retryDuringBoot<T>(
  attempt: () => Promise<T>,
  deps: Omit<ReachDeps, "login">,
  { timeoutMs, what, isNew } = reboot,
): Promise<T> {
  const begin = deps.ticks();
  // Says so at once for a new server: the first attempt alone may take 20 s.
  if (isNew) deps.say(`waiting up to ${timeoutMs / 1000} s for ${what}`);
  let reportedAt = isNew ? 0 : undefined;
  let refusedAt: number | undefined;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const waited = deps.ticks() - begin;
      const isRefusedLogin = hasKind(error, "refusedLogin");
      if (isFatal(error)) refusedAt ??= waited;
      // A host that has just booted refuses everybody but root for a while (pam_nologin).
      const mayPass = isNew
        ? waited - (refusedAt ?? waited) < bootTimeoutMs
        : reportedAt !== undefined && isRefusedLogin;
      if ((isFatal(error) && !mayPass) || hasKind(error, "unknownName") || waited >= timeoutMs) throw error;
      if (reportedAt === undefined || waited - reportedAt >= reportIntervalMs) {
        const times = `${Math.round(waited / 1000)} of ${timeoutMs / 1000} s`;
        deps.say(`waiting for ${what}, ${times}: ${takeFirstLine((error as Error).message)}`);
        reportedAt = waited;
      }
      const delayMs = waited < 3 * retryDelaysMs.first ? retryDelaysMs.first : retryDelaysMs.later;
      await deps.sleep(Math.min(isRefusedLogin ? retryDelaysMs.refused : delayMs, timeoutMs - waited));
    }
  }
}

/** Logs in, and checks that the login runs commands and may forward. @throws as connectSsh does; also if it may not */
export async function tryLogin(target: SshTarget, keys?: LoginKeys): Promise<SshSession> {
  const session = await connectSsh(target, keys);
  const where = `${target.user}@${target.address}:${target.port}`;
  const script = frameScript("true", "step");
  try {
    const running = session.run("bash -euo pipefail -s login", script);
    const late = `${where} accepts the login, and runs no command within 30 s`;
    const words = formatProblem({ what: late, needed: plainLogin, next: otherCommand });
    const result = await withTimeout(running, 30_000, words);
    if (readAnswer(script, result).isDone) {
      // A closed port proves it as well.
      for (const { address, port } of target.reaches ?? [])
        await session.forward(address, port).then(
          (stream) => stream.destroy(),
          (error) => hasKind(error, "forbidden") && Promise.reject(error),
        );
      return session;
    }
    if (result.exitCode === undefined) throw new Error(`${where} accepts the login, and the connection ended`);
    const fault = printableLines(formatNotRun("a command", result.stdout + result.stderr));
    throw new ProblemError({ kind: "refusedCommand", what: `${where}: ${fault}` });
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
  { server, isNew = false }: { server?: OwnServer | undefined; isNew?: boolean } = {},
): Promise<void> {
  const wait = server
    ? { timeoutMs: isNew ? server.startTimeout : bootTimeoutMs, what: `${createServerName(server)} to boot`, isNew }
    : reboot;
  const begin = deps.ticks();
  try {
    await retryDuringBoot(() => deps.login(target), deps, wait);
  } catch (error) {
    const seconds = Math.round((deps.ticks() - begin) / 1000);
    const isUnused = isNew && server?.isOrdered;
    throw new Error(formatLoginFailure(target, error as LoginError, run, { server, seconds, isUnused }));
  }
}

/**
 * Formats why no login is possible, and what helps. `server`: the host, if it is this stack's cloud server. `isUnused`:
 * true if this state ordered it, and no run ever logged in, so nothing can be lost with it.
 */
export function formatLoginFailure(
  target: Omit<SshTarget, "hostKey">,
  error: LoginError,
  run: Commands,
  how: { server?: OwnServer | undefined; seconds?: number; isUnused?: boolean } = {},
): string {
  const { message, reason = message } = error;
  const proxy = error.isFromProxy ? target.proxy : undefined;
  const { address, port, user } = proxy ?? target;
  const place = proxy ? "ssh.proxy" : "host";
  // A proxy that fails says nothing about the server behind it.
  const { server, seconds = 0, isUnused } = proxy ? { seconds: how.seconds } : how;
  const console = server && formatConsoleHelp(server);
  if (hasKind(error, "otherHostKey")) {
    const pin = `${run.set(`${place}.hostKey`, someHostKey)} && ${run.up}`;
    return formatProblem({
      what: message,
      next: [console, `If the new key is right, as the host's console shows it: ${pin}`],
    });
  }
  if (hasKind(error, "refusedCommand", "noAlgorithm", "forbidden")) return `${message}\n  Then: ${run.up}`;
  if (hasKind(error, "refusedLogin")) return formatRefusedLogin(target, error, run, console);
  return formatProblem({
    what: `${server ? `${createServerName(server)} at ${server.provider}, ` : ""}${address}: no login is possible`,
    found: `${reason}${seconds === 0 || hasKind(error, "unknownName") ? "" : `, for ${seconds} s`}`,
    needed: `start the ${proxy ? "proxy" : "host"}, and make its sshd reachable from here on port ${port}`,
    next: [
      `See it with: ssh -p ${port} ${user}@${address}`,
      server
        ? `Is this machine's address among pillar-host:host.sshFrom (${server.sshFrom.join(", ")})? See it with: curl -4 https://ifconfig.co`
        : `Is it another address? ${run.set(`${place}.address`, "ADDRESS")}`,
      console,
      `Then: ${run.up}`,
      isUnused && beginAnew(run),
    ],
  });
}

function formatRefusedLogin(
  target: Omit<SshTarget, "hostKey">,
  { message, problem: { what } = { what: message }, isFromProxy }: LoginError,
  run: Commands,
  help: string | undefined,
): string {
  const block = isFromProxy ? "ssh.proxy" : "ssh";
  const login = (isFromProxy && target.proxy) || target;
  const { address, port, user, privateKey, privateKeyPassword, password, agent } = login;
  const line = privateKey && derivePublicKey(privateKey, privateKeyPassword);
  return formatProblem({
    what,
    needed: [
      line && `add the key of pillar-host:${block} to ~${user}/.ssh/authorized_keys on the host: ${line}`,
      privateKey === undefined && agent && agentNeeds,
      password !== undefined &&
        `let sshd accept passwords, and set the right one: ${run.setSecret(`${block}.password`)}`,
    ],
    next: [
      `Is it another key? ${run.set(`${block}.privateKeyFile`, "FILE")}`,
      line && "Is that line there already? sshd's log on the host says why it refuses the key: journalctl -u ssh -n 20",
      line?.startsWith("ssh-rsa") && "Some hosts refuse RSA keys: try an ed25519 key",
      `Is it another user? ${run.set(`${block}.user`, "USER")}`,
      help,
      `Then: ${run.up}`,
      `See it with: ssh -v -p ${port} ${user}@${address}`,
    ],
  });
}
