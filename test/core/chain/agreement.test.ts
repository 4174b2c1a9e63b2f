import { expect, test } from "vitest";
import { agreeOn, findMedian } from "../../../core/chain/agreement";

const same = (word: string) => word;

test("decides with more than half", () => {
  expect(agreeOn(["a", "b", "a"], same)).toEqual({ kind: "agreed", word: "a", by: ["a", "a"], others: ["b"] });
  for (const words of [[], ["a", "b"], ["a", "a", "b", "b"], ["a", "a", "b", "c"]])
    expect(agreeOn<string, string>(words, same)).toEqual({ kind: "split" });
});

test("the median is the middle value, or between the two middle ones", () => {
  expect([findMedian([]), findMedian([3]), findMedian([9, 1])]).toEqual([undefined, 3, 5]);
  expect([findMedian([9, 1, 4]), findMedian([4, 1, 9, 2])]).toEqual([4, 3]);
});
