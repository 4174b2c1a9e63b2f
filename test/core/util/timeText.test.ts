import { expect, test } from "vitest";
import { formatDuration } from "../../../core/util/timeText.ts";

const minute = 60_000;
const hour = 60 * minute;

test.each([
  [1499, "1 s"],
  [59_499, "59 s"],
  [59_500, "1 min"],
  [90_000, "2 min"],
  [59.5 * minute, "1 h 00 min"],
  [2 * hour + 5 * minute, "2 h 05 min"],
  [24 * hour - 31_000, "23 h 59 min"],
  [24 * hour - 30_000, "1 d 00 h"],
  [76.9 * hour, "3 d 04 h"],
])("formats %d ms as %s", (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text);
});
