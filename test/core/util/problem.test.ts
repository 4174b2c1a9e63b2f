import { describe, expect, it } from "vitest";
import { formatProblem } from "../../../core/util/problem";

describe("formatProblem", () => {
  it("puts found, needed and the next command below what is wrong", () => {
    const text = formatProblem({
      what: "stack prod has no server yet",
      found: "no output address",
      needed: "run pulumi up, which makes it",
      next: ["It takes ten minutes.", "Then: ./pillar-host status"],
    });
    expect(text).toBe(
      [
        "stack prod has no server yet",
        "  found: no output address",
        "  needed: run pulumi up, which makes it",
        "  It takes ten minutes.",
        "  Then: ./pillar-host status",
      ].join("\n"),
    );
  });

  it("labels each thing that was found", () => {
    expect(formatProblem({ what: "two orchestrators", found: ["one on old", "one on new"] })).toBe(
      "two orchestrators\n  found: one on old\n  found: one on new",
    );
  });

  it("leaves out the lines that do not apply", () => {
    const lines = [false, "Then: pulumi up", undefined] as const;
    expect(formatProblem({ what: "no answer", found: undefined, needed: false, next: lines })).toBe(
      "no answer\n  Then: pulumi up",
    );
  });

  it("keeps a line whose text is empty: an error may have no message", () => {
    expect(formatProblem({ what: "no answer", found: "" })).toBe("no answer\n  found: ");
  });
});
