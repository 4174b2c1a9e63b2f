import { describe, expect, test } from "vitest";
import { areLabels, labelSelector } from "../../../lab/clouds/hetzner/labelSelector";

const labels = { stack: "prod", pillar: "Anvil", "pillar-host/made": "" };

describe("a selector", () => {
  test.each<[string, boolean]>([
    ["stack=prod", true],
    ["stack==prod", true],
    ["stack=dev", false],
    ["stack!=dev", true],
    ["owner!=me", true],
    ["stack", true],
    ["owner", false],
    ["!owner", true],
    ["!stack", false],
    ["stack in (dev,prod)", true],
    ["stack notin (dev, prod)", false],
    ["owner in (a)", false],
    ["stack=prod,pillar=Anvil", true],
    ["stack in (prod,dev),pillar=Forge", false],
    ["pillar-host/made=", true],
  ])("%s: %s", (selector, expected) => {
    expect(labelSelector(selector)(labels)).toBe(expected);
  });

  test.each(["stack=", "=prod", "stack in prod", "a b", "stack=prod,"])("%j", (selector) => {
    if (selector === "stack=") expect(labelSelector(selector)(labels)).toBe(false);
    else expect(() => labelSelector(selector)).toThrow("label_selector");
  });
});

test.each<[Record<string, string>, boolean]>([
  [labels, true],
  [{ "a b": "c" }, false],
  [{ a: "b c" }, false],
  [{ a: "x".repeat(64) }, false],
  [{ [`${"x".repeat(64)}`]: "" }, false],
  [{ "-a": "b" }, false],
])("%j as labels: %s", (given, expected) => {
  expect(areLabels(given)).toBe(expected);
});
