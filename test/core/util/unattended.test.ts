import { expect, test } from "vitest";
import { decideWait, formatUnattendedRefusal, isUnattended } from "../../../core/util/unattended";

test.each([
  [undefined, false],
  ["", false],
  [" ", false],
  ["0", false],
  ["No", false],
  ["false", false],
  ["1", true],
  ["true", true],
  ["off?", true],
])("parses the variable %j as %s", (value, is) => {
  expect(isUnattended({ PILLAR_HOST_UNATTENDED: value })).toBe(is);
});

test.each([
  [undefined, "", "block"],
  [undefined, "1", "await"],
  ["block", "1", "block"],
  ["check", "1", "check"],
  ["await", "", "await"],
] as const)("waits by sync.wait %s and the variable %j as: %s", (configured, value, wait) => {
  expect(decideWait(configured, { PILLAR_HOST_UNATTENDED: value })).toBe(wait);
});

test("names the variable and the command in a refusal", () => {
  expect(formatUnattendedRefusal("move the orchestrator", "up", "prod-2")).toBe(
    [
      "refusing to move the orchestrator in an unattended run; nothing was changed",
      "  found: PILLAR_HOST_UNATTENDED is set",
      "  needed: run this by hand, in a shell without that variable",
      "  Then: env -u PILLAR_HOST_UNATTENDED pulumi up -s prod-2",
    ].join("\n"),
  );
});
