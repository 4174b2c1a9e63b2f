import { expect, test } from "vitest";
import { formatProblem } from "../../../core/util/problem.ts";

test("keeps an empty text, since an error may have no message, and leaves out lines that do not apply", () => {
  const lines = [false, "Then: pulumi up", undefined] as const;
  expect(formatProblem({ what: "no answer", found: "", needed: false, next: lines })).toBe(
    "no answer\n  found: \n  Then: pulumi up",
  );
});
