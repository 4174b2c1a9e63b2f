import { expect, test } from "vitest";
import { formatError } from "../../../cli/terminal/refusal.ts";
import { ProblemError } from "../../../core/util/problem.ts";
import { evilText, harmless } from "../../evilText.ts";

test("prints an operator's error without a stack trace, and any other with it", () => {
  expect(formatError(new ProblemError({ what: "no", needed: "more" }))).toBe("no\n  needed: more");
  expect(formatError(new ProblemError({ what: "no store" }))).toBe("no store");
  expect(formatError(new TypeError("a mistake"))).toMatch(/^TypeError: a mistake\n {4}at .*refusal\.test\.ts/);
  expect(formatError("thrown")).toBe("thrown");
});

test("removes terminal commands, whoever wrote the words", () => {
  for (const error of [new ProblemError({ what: evilText }), new Error(evilText), evilText])
    expect(formatError(error)).toContain(harmless);
});
