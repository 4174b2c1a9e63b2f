import { expect, test } from "vitest";
import { firstLong, from, wrongOf } from "./livedHistories";

test("never proves a sync too early in 10000 histories, and always in time", async () => {
  expect(await wrongOf(from(1, 10_000))).toEqual([]);
});

test("never proves a sync too early in long histories, of up to a week", async () => {
  expect(await wrongOf(from(firstLong, 20))).toEqual([]);
});
