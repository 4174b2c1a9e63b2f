import { withTimeout } from "../util/withTimeout";
import { connectSsh, type LoginKeys, type SshSession, type SshTarget } from "./ssh";
import { isFatal, type LoginError } from "./sshErrors";

/** A connection to a host that is made when it is first needed, kept, and made anew after it broke. */
export interface Connection {
  /** @throws as connectSsh does; a login that is refused after it was taken once is not fatal */
  session(): Promise<SshSession>;
  /** Leaves it to the next user of the process, where the process keeps connections, else ends it; ends a dead one in any case. */
  drop(isDead?: "dead"): void;
  /** How many were made so far. */
  readonly made: number;
}

/** Returns the open connections between two uses, by login; undefined in a process that ends with its last connection. */
const idleSessions = () => (process as { readonly idleSshSessions?: Map<string, SshSession> }).idleSshSessions;

function loginOf({ address, port, user, hostKey, privateKey, password, agent, proxy }: SshTarget): string {
  return JSON.stringify([
    address,
    port,
    user,
    hostKey,
    privateKey,
    password,
    agent || undefined,
    proxy && loginOf(proxy),
  ]);
}

/** Keeps a connection for the next user of the same login, or ends it. */
export function leaveSession(target: SshTarget, session: SshSession): void {
  const login = loginOf(target);
  const idle = idleSessions();
  if (!session.isOpen || idle === undefined || idle.has(login)) session.close();
  else idle.set(login, session);
}

async function takeIdleSession(target: SshTarget): Promise<SshSession | undefined> {
  const login = loginOf(target);
  const session = idleSessions()?.get(login);
  if (session === undefined) return undefined;
  idleSessions()?.delete(login);
  // One that died while this machine slept still looks open.
  const isAlive = await withTimeout(session.run("exit 0", ""), 5000, "no answer").then(
    ({ exitCode }) => exitCode === 0,
    () => false,
  );
  if (isAlive) return session;
  session.close();
  return undefined;
}

/**
 * Milliseconds: a firewall that limits new connections (`ufw limit`: 6 in 30 s) counts refused ones too, so they are spread.
 */
const limited = { patience: 45_000, pause: 8000 };

/**
 * @param wasLetIn this run was let in before: a refused port is a limit on new connections, and is waited for. Left out
 *   where whoever asks tries again by itself
 */
export function createConnection(target: SshTarget, keys?: LoginKeys, wasLetIn = false): Connection {
  // The promise is kept, not the session: one that is given up while it still connects must not stay open.
  let current: Promise<SshSession> | undefined;
  let made = 0;
  let refused: Error | undefined;
  const connect = async (until = wasLetIn ? Date.now() + limited.patience : 0): Promise<SshSession> => {
    try {
      const session = (await takeIdleSession(target)) ?? (await connectSsh(target, keys));
      made += 1;
      return session;
    } catch (error) {
      const { refused: what, unreached, message } = error as LoginError;
      if (unreached === "refusedPort" && Date.now() < until) {
        await new Promise((resolve) => setTimeout(resolve, limited.pause));
        return connect(until);
      }
      // Whom a host has let in before it lets in again: while it boots or goes down it refuses all but root.
      if (made > 0 && what === "login")
        throw new Error(`${target.address} refuses the login, which it took before: it boots, perhaps`);
      if (isFatal(error)) refused = error as Error;
      throw unreached === "refusedPort" && wasLetIn
        ? Object.assign(error as Error, {
            message: `${message}, though it let in before: does a firewall limit new connections? Wait 30 s, then run the same command again`,
          })
        : error;
    }
  };
  const drop = (isDead?: "dead") => {
    current?.then(
      (session) => (isDead ? session.close() : leaveSession(target, session)),
      () => undefined,
    );
    current = undefined;
  };
  return {
    get made() {
      return made;
    },
    drop,
    session: async () => {
      // Each further try counts towards a ban.
      if (refused) throw refused;
      const known = current;
      const session = await known?.catch(() => undefined);
      if (session?.isOpen) return session;
      if (current === known) drop();
      current ??= connect();
      return current;
    },
  };
}
