/** Facts and choices of the operator, as typed into the configuration. */
export interface Acknowledgements {
  readonly noKeyShare: boolean;
  /** True if the orchestrator may move while the bridge is halted. */
  readonly haltedBridge: boolean;
  /** Number of the move after which the orchestrator came here by hand; it can start nowhere else. */
  readonly laterThanMove?: number | undefined;
  /** True if no move of the orchestrator ever began. */
  readonly firstMove?: boolean | undefined;
  /** The backup that takes the place of an old host that is lost and fenced. */
  readonly restoreFrom?: string | undefined;
}

export function pickAcknowledgements({
  noKeyShare,
  haltedBridge,
  laterThanMove,
  firstMove,
  restoreFrom,
}: Acknowledgements): Acknowledgements {
  return { noKeyShare, haltedBridge, laterThanMove, firstMove, restoreFrom };
}
