export interface GuardMemory {
  /** ISO 8601. */
  readonly createdAt: string;
  /** True if this stack has logged in to the host. */
  readonly isReached: boolean;
  /** True if this stack deploys the node, instead of adopting one. */
  readonly isOwnWork: boolean;
  /** Hashes of lines of the event log at the guard's changes, with a blank between two: a log without one is another log. */
  readonly logHead?: string | undefined;
}

/** True if the host may hold something: false only for a server that this stack ordered and never logged in to. */
export function isReached({ isOwnServer }: { readonly isOwnServer: boolean }, memory: GuardMemory): boolean {
  return memory.isReached || !isOwnServer;
}
