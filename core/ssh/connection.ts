import { connectSsh, type LoginKeys, type SshSession, type SshTarget } from "./ssh";
import type { RefusedError } from "./sshErrors";

/** A connection to a host that is made when it is first needed, kept, and made anew after it broke. */
export interface Connection {
  /** @throws as connectSsh does; a login that is refused after it was taken once is not fatal */
  session(): Promise<SshSession>;
  /** Ends it; the next one who asks gets a new one. */
  drop(): void;
  /** How many were made so far. */
  readonly made: number;
}

export function createConnection(target: SshTarget, keys?: LoginKeys): Connection {
  // The promise is kept, not the session: one that is given up while it still connects must not stay open.
  let current: Promise<SshSession> | undefined;
  let made = 0;
  const connect = async () => {
    try {
      const session = await connectSsh(target, keys);
      made += 1;
      return session;
    } catch (error) {
      // Whom a host has let in before it lets in again: while it boots or goes down it refuses all but root.
      if (made > 0 && (error as RefusedError).refused === "login")
        throw new Error(`${target.address} refuses the login, which it took before: it boots, perhaps`);
      throw error;
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
      const known = current;
      const session = await known?.catch(() => undefined);
      if (session?.isOpen) return session;
      if (current === known) drop();
      current ??= connect();
      return current;
    },
  };
}
