import type { TimedView } from "./followHost";
import type { WatchMessage } from "./stackView";

/** Where a watch is shown: a terminal, or a file. */
export interface Display {
  /** Gets all stacks every second, and when one changed. */
  show(shown: readonly TimedView[]): void;
  /** Something happened. @param stack which, where there are several */
  say(news: WatchMessage, stack?: string): void;
  /** Leaves the terminal as it was, what was shown last in it. */
  end(): void;
}
