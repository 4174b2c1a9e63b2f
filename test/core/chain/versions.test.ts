import { describe, expect, test } from "vitest";
import { compareNodeVersions, releaseNumber } from "../../../core/chain/versions";

describe("two versions", () => {
  test.each([
    ["by number, not by letter", "v0.0.10", "v0.0.9"],
    ["by the first number that differs", "v0.1.0", "v0.0.99"],
    ["a development build before its release", "v0.0.10", "v0.0.10-dev-55-gabc1234"],
    ["a test network's build before its release", "v0.0.10", "v0.0.10-testnet-3-gabc1234"],
    ["git's text for commits after a tag before its release", "v0.0.10", "v0.0.10-55-gabc1234"],
    ["git's text with the published tag before its release", "v0.0.10", "v0.0.10-alphanet-2-gabc1234"],
    ["a tree with changes before its release", "v0.0.10", "v0.0.10+dirty"],
    ["a development build of the next number after the release", "v0.0.11-dev-1-gabc", "v0.0.10"],
  ])("are ordered %s: %s after %s", (_what, newer, older) => {
    expect(compareNodeVersions(newer, older)).toBeGreaterThan(0);
    expect(compareNodeVersions(older, newer)).toBeLessThan(0);
  });

  test.each([
    ["v0.0.10", "v0.0.10-alphanet"],
    ["v0.0.8-libznn", "0.0.8"],
    ["v0.0.8-dev-1-gabc", "v0.0.8-dev-1-gabc"],
    ["a word", "a word"],
  ])("are equal: %s and %s", (one, other) => expect(compareNodeVersions(one, other)).toBe(0));

  test.each([
    ["v0.0.8-dev-1-gabc", "v0.0.8-dev-2-gdef"],
    ["", "v0.0.8"],
    ["latest", "v0.0.8"],
  ])("leaves the order of %s and %s open", (one, other) => expect(compareNodeVersions(one, other)).toBeUndefined());

  test("treats the spellings of a release as one, and a build as none", () => {
    expect(
      ["v0.0.8", "v0.0.8-alphanet", "0.0.8-libznn", "v0.0.8-dev-55-gabc", "v0.0.8-testnet", "x"].map(releaseNumber),
    ).toEqual(["v0.0.8", "v0.0.8", "v0.0.8", undefined, undefined, undefined]);
  });
});
