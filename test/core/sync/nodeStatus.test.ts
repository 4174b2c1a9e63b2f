import { expect, it, vi } from "vitest";
import { type NodeStatus, prefetch } from "../../../core/sync/nodeStatus";

const seen = (why: string): NodeStatus => ({ synced: true, known: true, why });

it.each([
  [29_999, "early", 1],
  [30_000, "late", 2],
])("returns after %i ms the %s lookup", async (age, why, looks) => {
  let time = 0;
  const look = vi.fn<() => Promise<NodeStatus>>();
  look.mockResolvedValueOnce(seen("early")).mockResolvedValueOnce(seen("late"));
  const ahead = prefetch(look, () => time);
  time += age;
  expect((await ahead()).why).toBe(why);
  expect(look).toHaveBeenCalledTimes(looks);
});
