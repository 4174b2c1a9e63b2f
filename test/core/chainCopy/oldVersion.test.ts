import { describe, expect, test } from "vitest";
import type { VersionGap } from "../../../core/chain/requiredVersions";
import { findOldVersionFault } from "../../../core/chainCopy/oldVersion";
import type { ReferenceAnswers } from "../../../core/sync/references";
import { atHeight, seenFrom, silent } from "../chain/readings";

const gap: VersionGap = {
  fromHeight: 1000,
  leastVersion: "v0.0.10",
  why: "the window",
  release: "https://r.example",
  found: "v0.0.8",
};
const seen = (height: number, heights: readonly number[], theirs: readonly string[] = []): ReferenceAnswers =>
  seenFrom(
    height,
    heights.map((each, at) => atHeight(`reference ${at}`, each, 3000, theirs[at])),
    { theirs },
  );

describe("the database of an old node", () => {
  test.each<[string, ReferenceAnswers]>([
    ["two witnesses have its momentum in the window", seen(1010, [1012, 1011])],
    ["also at the first one of it", seen(1000, [1012, 1011])],
    [
      "three do, and one is silent",
      { ...seen(1010, [1012, 1011]), readings: [...seen(1010, [1012, 1011]).readings, silent("d")] },
    ],
  ])("is copied if %s", (_what, witnesses) => expect(findOldVersionFault([gap], witnesses)).toBeUndefined());

  test.each<[string, ReferenceAnswers, RegExp]>([
    ["nobody is asked", { readings: [] }, /0 of 2 needed witnesses/],
    ["one witness has its momentum", seen(1010, [1012]), /1 of 2 needed witnesses .* from 1000 on/],
    [
      "one node is asked twice",
      { ...seen(1010, [1012]), readings: [seen(1010, [1012]).readings, seen(1010, [1012]).readings].flat() },
      /1 of 2/,
    ],
    ["the witnesses are below the window themselves", seen(1010, [999, 998]), /0 of 2/],
    ["one is below it", seen(1010, [1012, 999]), /1 of 2/],
    ["they are silent", { ...seen(1010, []), readings: [silent("a"), silent("b")] }, /0 of 2/],
    ["the node does not show its momentums", { readings: seen(1010, [1012, 1011]).readings }, /0 of 2/],
    [
      "one of three has another momentum",
      seen(1010, [1012, 1011, 1013], ["h", "h", "x"]),
      /of another chain: its momentum 1010 .* never copied/,
    ],
  ])("is not copied if %s", (_what, witnesses, fault) => expect(findOldVersionFault([gap], witnesses)).toMatch(fault));

  test("needs witnesses from the highest required height on", () => {
    const higher = { ...gap, fromHeight: 1011, leastVersion: "v0.0.12" };
    expect(findOldVersionFault([higher, gap], seen(1010, [1012, 1012]))).toMatch(/0 of 2 .* from 1011 on/);
  });

  test("has no problem with the required versions", () => {
    expect(findOldVersionFault([], { readings: [] })).toBeUndefined();
  });
});
