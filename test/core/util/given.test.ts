import { expect, test } from "vitest";
import { given } from "../../../core/util/given";

test("a key without a value is left out, any other value stays", () => {
  const values = given({ none: undefined, zero: 0, empty: "", no: false, nil: null });
  expect(Object.entries(values)).toEqual([
    ["zero", 0],
    ["empty", ""],
    ["no", false],
    ["nil", null],
  ]);
});
