/** Facts and choices of the operator, as typed into the configuration. */
export interface Acknowledgements {
  readonly noKeyShare: boolean;
  /** True if the orchestrator may move while the bridge is halted. */
  readonly haltedBridge: boolean;
  /** Number of the last move before the operator brought the orchestrator here by hand; no other host can start it. */
  readonly laterThanMove?: number | undefined;
  /** True if no move of the orchestrator ever began. */
  readonly firstMove?: boolean | undefined;
  /** The backup from which the orchestrator is restored, because the old host is lost and fenced. */
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
