import type { Shown } from "./follow";

/** Where a watch is shown: a terminal, or a file. */
export interface Display {
  /** Gets all stacks every second, and when one changed. */
  show(shown: readonly Shown[]): void;
  /** Something happened that the gate would tell. @param stack which, where there are several */
  say(line: string, stack?: string): void;
  /** Leaves the terminal as it was, what was shown last in it. */
  end(): void;
}
