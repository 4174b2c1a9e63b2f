import { vi } from "vitest";

/** Waits for what comes by itself in a moment. A busy machine takes longer than the second that vi.waitFor gives it. */
export function soon<T>(look: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(look, { timeout: 10_000, interval: 20 });
}
