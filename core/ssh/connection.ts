import { connectSsh, type LoginKeys, type SshSession, type SshTarget } from "./ssh";
import { isFatal, type LoginError } from "./sshErrors";

/** A connection to a host that is made when it is first needed, kept, and made anew after it broke. */
export interface Connection {
  /** @throws as connectSsh does; a login that is refused after it was taken once is not fatal */
  session(): Promise<SshSession>;
  /** Ends it; the next one who asks gets a new one. */
  drop(): void;
  /** How many were made so far. */
  readonly made: number;
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
      const session = await connectSsh(target, keys);
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
  const drop = () => {
    current?.then(
      (session) => session.close(),
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
