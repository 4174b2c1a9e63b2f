import net from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { watchEngine } from "../../../providers/runtime/engine.ts";
import { listen } from "../../core/chain/fakes.ts";
import { soon } from "../../soon.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

test("an engine is present until nobody listens at its address", async () => {
  const engine = await listen(net.createServer());
  const end = vi.fn();
  const watch = watchEngine(`127.0.0.1:${engine.port}`, end as unknown as () => never);
  await vi.advanceTimersByTimeAsync(5000);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(watch.signal.aborted).toBe(false);
  await engine.close();
  vi.advanceTimersByTime(5000);
  await soon(() => expect(watch.signal.aborted).toBe(true));
  expect(end).not.toHaveBeenCalled();
  vi.advanceTimersByTime(5000);
  expect(end).toHaveBeenCalled();
  watch.stop();
});

test("an engine without an address counts as present", () => {
  const watch = watchEngine("");
  vi.advanceTimersByTime(20_000);
  expect(watch.signal.aborted).toBe(false);
  watch.stop();
});
