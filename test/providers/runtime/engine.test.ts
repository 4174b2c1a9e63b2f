import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { engineGone, watchEngine } from "../../../providers/runtime/engine.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout"] }));
afterEach(() => void vi.useRealTimers());

test("an engine is present until it closes this process's standard input; the process ends some seconds later", async () => {
  const input = new PassThrough();
  const end = vi.fn();
  watchEngine(input, end as unknown as () => never);
  input.write("nothing that counts");
  vi.advanceTimersByTime(60_000);
  expect(engineGone.aborted).toBe(false);
  input.end();
  await new Promise((resolve) => setImmediate(resolve));
  expect(engineGone.aborted).toBe(true);
  vi.advanceTimersByTime(9000);
  expect(end).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1000);
  expect(end).toHaveBeenCalled();
});
