import { expect, test } from "vitest";
import { CliRefusal, formatError } from "../../../cli/terminal/refusal";
import { storeFault } from "../../../core/store/storeFault";
import { evilText, harmless } from "../../evilText";

test("what is for the operator is shown without a stack; all else with one", () => {
  expect(formatError(new CliRefusal("no\n  needed: more"))).toBe("no\n  needed: more");
  expect(formatError(storeFault("no store"))).toBe("no store");
  expect(formatError(new TypeError("a mistake"))).toMatch(/^TypeError: a mistake\n {4}at .*refusal\.test\.ts/);
  expect(formatError("thrown")).toBe("thrown");
});

test("whoever's words are in it, they command no terminal", () => {
  for (const error of [new CliRefusal(evilText), storeFault(evilText), new Error(evilText), evilText])
    expect(formatError(error)).toContain(harmless);
});
