import { expect, test } from "vitest";
import { createLimiter } from "../../../core/util/createLimiter";

test("runs at most the given number of tasks at once, in order, despite failures", async () => {
  const one = createLimiter(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const done: number[] = [];
  const all = [0, 1, 2, 3].map((n) =>
    one(async () => {
      begun.push(n);
      await new Promise<void>((resolve) => ends.push(resolve));
      if (n === 0) throw new Error("broken");
      return n;
    }).then(
      () => done.push(n),
      () => done.push(-1),
    ),
  );
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  await settled();
  expect(begun).toEqual([0, 1]);
  ends[0]?.();
  await settled();
  expect([begun, done]).toEqual([[0, 1, 2], [-1]]);
  ends[2]?.();
  await settled();
  expect([begun, done]).toEqual([
    [0, 1, 2, 3],
    [-1, 2],
  ]);
  ends[1]?.();
  ends[3]?.();
  await Promise.all(all);
  expect(done).toEqual([-1, 2, 1, 3]);
});
