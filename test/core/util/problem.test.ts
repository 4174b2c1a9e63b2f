import { expect, test } from "vitest";
import { formatProblem } from "../../../core/util/problem";

test("puts found, needed and the next command below what is wrong", () => {
  expect(
    formatProblem({
      what: "stack prod has no server yet",
      found: ["no output address", ""],
      needed: "run pulumi up, which makes it",
      next: ["It takes ten minutes.", "Then: ./pillar-host status"],
    }),
  ).toBe(
    [
      "stack prod has no server yet",
      "  found: no output address",
      // An error may have no message.
      "  found: ",
      "  needed: run pulumi up, which makes it",
      "  It takes ten minutes.",
      "  Then: ./pillar-host status",
    ].join("\n"),
  );
});

test("leaves out the lines that do not apply", () => {
  const lines = [false, "Then: pulumi up", undefined] as const;
  expect(formatProblem({ what: "no answer", found: undefined, needed: false, next: lines })).toBe(
    "no answer\n  Then: pulumi up",
  );
});
