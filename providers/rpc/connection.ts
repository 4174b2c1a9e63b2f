import { connectSsh, type SshSession, type SshTarget } from "./ssh";

/** A connection to a host that is made when it is first needed, kept, and made anew after it broke. */
export interface Connection {
  /** @throws as connectSsh does */
  session(): Promise<SshSession>;
  /** Ends it; the next one who asks gets a new one. */
  drop(): void;
}

export function createConnection(target: SshTarget): Connection {
  // The promise is kept, not the session: one that is given up while it still connects must not stay open.
  let current: Promise<SshSession> | undefined;
  const drop = () => {
    current?.then(
      (session) => session.close(),
      () => undefined,
    );
    current = undefined;
  };
  return {
    drop,
    session: async () => {
      const known = current;
      const session = await known?.catch(() => undefined);
      if (session?.isOpen) return session;
      if (current === known) drop();
      current ??= connectSsh(target);
      return current;
    },
  };
}
