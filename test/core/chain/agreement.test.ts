import { expect, test } from "vitest";
import { agreeOn, findMedian } from "../../../core/chain/agreement";

const same = (word: string) => word;

test("decides with more than half", () => {
  expect(agreeOn(["a", "b", "a"], same)).toEqual({ kind: "agreed", word: "a", by: ["a", "a"], others: ["b"] });
  expect(agreeOn(["a"], same)).toEqual({ kind: "agreed", word: "a", by: ["a"], others: [] });
});

test.each([[[]], [["a", "b"]], [["a", "a", "b", "b"]], [["a", "a", "b", "c"]]])(
  "does not decide with half: %j",
  (words) => {
    expect(agreeOn<string, string>(words, same)).toEqual({ kind: "split" });
  },
);

test("counts the numbers near the median", () => {
  const near = (heights: readonly number[]) =>
    agreeOn(
      heights,
      (height) => height,
      findMedian,
      (one, other) => Math.abs(one - other) <= 10,
    );
  expect(near([100, 110, 500])).toEqual({ kind: "agreed", word: 110, by: [100, 110], others: [500] });
  expect(near([100, 120])).toMatchObject({ kind: "agreed", word: 110 });
  expect(near([100, 122])).toEqual({ kind: "split" });
});

test.each([
  [[], undefined],
  [[3], 3],
  [[9, 1], 5],
  [[9, 1, 4], 4],
  [[4, 1, 9, 2], 3],
])("the median of %j is %s", (numbers, median) => {
  expect(findMedian(numbers)).toBe(median);
});
