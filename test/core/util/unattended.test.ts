import { expect, test } from "vitest";
import { decideWait, isUnattended } from "../../../core/util/unattended.ts";

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
