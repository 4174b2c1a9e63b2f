import { vi } from "vitest";

/** Waits for an event that comes soon. A busy machine takes longer than the second that vi.waitFor allows. */
export function soon<T>(look: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(look, { timeout: 10_000, interval: 20 });
}
