import type { TimedView } from "./followHost";
import type { WatchMessage } from "./stackView";

/** Output of a watch: a terminal, or a file. */
export interface Display {
  /** Shows all stacks. Called every second, and when one has changed. */
  show(shown: readonly TimedView[]): void;
  /** Shows a message. @param stack given if there are several */
  say(news: WatchMessage, stack?: string): void;
  /** Releases the terminal, and leaves the last view in it. */
  end(): void;
}
