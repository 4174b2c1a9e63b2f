/** What an operator has typed out about a signer, where the program cannot know it; plain values. */
export interface Acknowledged {
  /** It has no key share. */
  readonly noKeyShare: boolean;
  /** It moves while the bridge is halted. */
  readonly haltedBridge: boolean;
  /** It came to its host by hand after the move with this number, and can start nowhere else. */
  readonly laterThanMove?: number | undefined;
  /** No move of it ever began. */
  readonly firstMove?: boolean | undefined;
}

/** The words alone, of what has them among others. */
export function acknowledgedIn({ noKeyShare, haltedBridge, ...words }: Acknowledged): Acknowledged {
  const { laterThanMove, firstMove } = words;
  return { noKeyShare, haltedBridge, laterThanMove, firstMove };
}
