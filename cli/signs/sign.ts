/** Something about a stack that somebody should hear of. */
export interface Sign {
  /** The same for as long as it lasts: its kind, and after a colon what it is about. */
  readonly key: string;
  readonly text: string;
}

/** What a look tells of one kind of sign; undefined where it can't tell. */
export type Check = readonly [kind: string, signs: readonly Sign[] | undefined];

/** What a look tells. */
export interface SignObservation {
  readonly signs: readonly Sign[];
  /** Kinds of which it can't tell whether they last. */
  readonly unknown: readonly string[];
}

/** All checks together (pure). */
export function observationOf(checks: readonly Check[]): SignObservation {
  return {
    signs: checks.flatMap(([, signs]) => signs ?? []),
    unknown: checks.flatMap(([kind, signs]) => (signs === undefined ? [kind] : [])),
  };
}
