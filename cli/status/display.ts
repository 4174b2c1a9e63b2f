import type { TimedView } from "./followHost";
import type { WatchMessage } from "./stackView";

export interface Display {
  /** Shows all stacks. Called every second, and when one has changed. */
  show(shown: readonly TimedView[]): void;
  /** Shows a message. @param stack given if there are several */
  say(news: WatchMessage, stack?: string): void;
  /** Releases the terminal, and leaves the last view in it. */
  end(): void;
}
