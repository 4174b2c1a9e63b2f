/** Facts that only the operator can know, as typed into the configuration; plain values. */
export interface Acknowledged {
  /** True if the orchestrator has no key share. */
  readonly noKeyShare: boolean;
  /** True if the orchestrator may move while the bridge is halted. */
  readonly haltedBridge: boolean;
  /** Number of the move after which the orchestrator came to its host by hand; it can start nowhere else. */
  readonly laterThanMove?: number | undefined;
  /** True if no move of the orchestrator ever began. */
  readonly firstMove?: boolean | undefined;
}

/** Returns these four values of an object that has others, too. */
export function acknowledgedIn({ noKeyShare, haltedBridge, laterThanMove, firstMove }: Acknowledged): Acknowledged {
  return { noKeyShare, haltedBridge, laterThanMove, firstMove };
}
