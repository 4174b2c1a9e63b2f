import { expect, test } from "vitest";
import { agreeOn, findMedian } from "../../../core/chain/agreement";

const same = (word: string) => word;

test("decides with more than half", () => {
  expect(agreeOn(["a", "b", "a"], same)).toEqual({ kind: "agreed", word: "a", by: ["a", "a"], others: ["b"] });
  for (const words of [[], ["a", "b"], ["a", "a", "b", "b"], ["a", "a", "b", "c"]])
    expect(agreeOn<string, string>(words, same)).toEqual({ kind: "split" });
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
