import { printable, printableLines } from "../util/printable.ts";
import { hasKind } from "../util/problem.ts";
import { withTimeout } from "../util/withTimeout.ts";
import { formatNotRun, readAnswer } from "./answer.ts";
import { connectSsh, type LoginKeys, type SshSession, type SshTarget } from "./ssh.ts";
import { isFatal } from "./sshErrors.ts";

/** Returns the idle connections by login; undefined in a process that keeps none. */
const idleSessions = () => (process as { readonly idleSshSessions?: Map<string, SshSession> }).idleSshSessions;

const loginKeys = ["address", "port", "user", "hostKey", "privateKey", "password", "agent", "proxy"];

/** Returns the login as text, the same for equal logins. */
const loginId = (target: SshTarget) => JSON.stringify({ ...target, agent: target.agent || undefined }, loginKeys);

function leaveSession(target: SshTarget, session: SshSession): void {
  const login = loginId(target);
  const idle = idleSessions();
  if (!session.isOpen || idle === undefined || idle.has(login)) session.close();
  else idle.set(login, session);
}

async function takeIdleSession(target: SshTarget): Promise<SshSession | undefined> {
  const login = loginId(target);
  const session = idleSessions()?.get(login);
  if (session === undefined) return undefined;
  idleSessions()?.delete(login);
  // A connection that died while this machine slept still looks open.
  const isAlive = await withTimeout(session.run("exit 0", ""), 5000).then(
    ({ exitCode }) => exitCode === 0,
    () => false,
  );
  if (isAlive) return session;
  session.close();
  return undefined;
}

/** A firewall that limits new connections (`ufw limit`: 6 in 30 s) counts refused ones, too, so retries are spread. */
const rateLimit = { timeoutMs: 45_000, retryDelayMs: 8000 };

export type Connection = ReturnType<typeof createConnection>;

/**
 * Returns a connection to a host, which is opened when first needed and again after it broke. `wasLetIn`: this run has
 * logged in before, so a refused port means a limit on new connections, and is retried.
 */
export function createConnection(target: SshTarget, keys?: LoginKeys, wasLetIn = false) {
  // Keeps the promise, not the session: a session dropped while it connects must be closed, too.
  let current: Promise<SshSession> | undefined;
  let made = 0;
  let refused: Error | undefined;
  const connect = async (until = wasLetIn ? Date.now() + rateLimit.timeoutMs : 0): Promise<SshSession> => {
    try {
      const session = (await takeIdleSession(target)) ?? (await connectSsh(target, keys));
      made += 1;
      return session;
    } catch (error) {
      if (hasKind(error, "refusedPort") && Date.now() < until) {
        await new Promise((resolve) => setTimeout(resolve, rateLimit.retryDelayMs));
        return connect(until);
      }
      // A host that boots or shuts down refuses everybody but root, so a refusal after a login is not fatal.
      if (made > 0 && hasKind(error, "refusedLogin"))
        throw new Error(`${target.address} refuses the login that it accepted before: it may be booting`);
      if (isFatal(error)) refused = error as Error;
      if (hasKind(error, "refusedPort") && wasLetIn)
        (error as Error).message +=
          `, though the host accepted a login before: does a firewall limit new connections? Wait 30 s, then run the same command again`;
      throw error;
    }
  };
  /** Closes the connection; a process that keeps idle connections leaves a working one open for the next caller. */
  const drop = (isDead?: "dead") => {
    current?.then(
      (session) => (isDead ? session.close() : leaveSession(target, session)),
      () => undefined,
    );
    current = undefined;
  };
  return {
    get loginCount() {
      return made;
    },
    drop,
    /** Returns the open session, or opens one. @throws as connectSsh; a refused login that worked before may be retried */
    session: async (): Promise<SshSession> => {
      // Do not try again after a refusal: each further login counts towards a ban.
      if (refused) throw refused;
      const existing = current;
      const session = await existing?.catch(() => undefined);
      if (session?.isOpen) return session;
      if (current === existing) drop();
      current ??= connect();
      return current;
    },
  };
}

export interface ScriptError extends Error {
  printed: readonly string[];
}

/**
 * Runs a script on a host as the login user (it may become root), and returns the printed lines. The script goes
 * through standard input, as it may hold a password; `name` is shown in process lists and logs. Throws ScriptError in
 * the script's own words if it failed, did not run, or reached the timeout.
 */
export async function runScript(on: Pick<Connection, "session">, name: string, script: string, timeoutMs: number) {
  // The timeout does not include the login, which has its own.
  const session = await on.session();
  const running = session.run(`bash -euo pipefail -s ${name}`, script);
  const result = await withTimeout(running, timeoutMs, `the script did not end within ${timeoutMs / 1000} s`);
  const { exitCode } = result;
  const { isDone, stdout, stderr } = readAnswer(script, result);
  const printed = stdout
    .split("\n")
    .map(printable)
    .filter((line) => line.trim() !== "");
  if (exitCode === 0 && isDone) return printed;
  const said = exitCode === 0 ? formatNotRun(name, result.stdout + result.stderr) : stderr;
  const reason = printableLines(said).trim() || `the script ended with ${exitCode ?? "the connection"}`;
  throw Object.assign(new Error(reason), { printed });
}
