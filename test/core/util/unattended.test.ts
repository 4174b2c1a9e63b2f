import { expect, test } from "vitest";
import { isUnattended, unattendedRefusal } from "../../../core/util/unattended";

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
])("the variable as %j: %s", (value, is) => {
  expect(isUnattended({ PILLAR_HOST_UNATTENDED: value })).toBe(is);
});

test("the refusal says what is missing and what a person types", () => {
  expect(unattendedRefusal("the signer is moved", "up", "prod-2")).toBe(
    [
      "the signer is moved only in a run that somebody watches",
      "  found: PILLAR_HOST_UNATTENDED is set, so nobody does",
      "  needed: the same run by hand, in a shell without it",
      "  Then: env -u PILLAR_HOST_UNATTENDED pulumi up -s prod-2",
    ].join("\n"),
  );
});
