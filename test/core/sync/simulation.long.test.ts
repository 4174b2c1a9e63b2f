import { expect, test } from "vitest";
import { firstLong, from, wrongOf } from "./livedHistories";

test("10000 histories: never synced too early, always in time", async () => {
  expect(await wrongOf(from(1, 10_000))).toEqual([]);
});

test("long ones, of up to a week", async () => {
  expect(await wrongOf(from(firstLong, 20))).toEqual([]);
});
