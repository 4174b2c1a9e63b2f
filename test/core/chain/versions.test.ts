import { expect, test } from "vitest";
import { compareNodeVersions, releaseNumber } from "../../../core/chain/versions.ts";

test.each([
  ["by number, not by letter", "v0.0.10", "v0.0.9"],
  ["by the first number that differs", "v0.1.0", "v0.0.99"],
  ["a development build before its release", "v0.0.10", "v0.0.10-dev-55-gabc1234"],
  ["git's text for commits after a tag before its release", "v0.0.10", "v0.0.10-55-gabc1234"],
  ["git's text with the published tag before its release", "v0.0.10", "v0.0.10-alphanet-2-gabc1234"],
  ["a tree with changes before its release", "v0.0.10", "v0.0.10+dirty"],
  ["a development build of the next number after the release", "v0.0.11-dev-1-gabc", "v0.0.10"],
])("orders two versions %s: %s after %s", (_what, newer, older) => {
  expect(compareNodeVersions(newer, older)).toBeGreaterThan(0);
  expect(compareNodeVersions(older, newer)).toBeLessThan(0);
});

test.each([
  ["v0.0.10", "v0.0.10-alphanet", 0],
  ["v0.0.8-libznn", "0.0.8", 0],
  ["v0.0.8-dev-1-gabc", "v0.0.8-dev-1-gabc", 0],
  ["a word", "a word", 0],
  ["v0.0.8-dev-1-gabc", "v0.0.8-dev-2-gdef", undefined],
  ["", "v0.0.8", undefined],
  ["latest", "v0.0.8", undefined],
])("compares %s with %s: %s", (one, other, order) => expect(compareNodeVersions(one, other)).toBe(order));

test("treats the spellings of a release as one, and a build as none", () => {
  expect(
    ["v0.0.8", "v0.0.8-alphanet", "0.0.8-libznn", "v0.0.8-dev-55-gabc", "v0.0.8-testnet", "x"].map(releaseNumber),
  ).toEqual(["v0.0.8", "v0.0.8", "v0.0.8", undefined, undefined, undefined]);
});
