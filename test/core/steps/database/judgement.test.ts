import { expect, test } from "vitest";
import { readJudged } from "../../../../core/steps/database/judgement";

test("what the judge prints is read, and what else it says left out", () => {
  const lines = [
    "copy /root/.znn/nom.before-repair-8-20260102T030405Z.json",
    "nom torn 7 abcd undo 8 3 58",
    "nom sound 0 00",
    "consensus sound - -",
    "consensus unreadable - - table 000004 is not there",
    "",
  ];
  expect(readJudged(lines.join("\n"))).toEqual([
    {
      name: "nom",
      state: "torn",
      frontier: { height: 7, hash: "abcd" },
      cure: { kind: "undo", height: 8, differing: 3, touched: 58 },
    },
    { name: "nom", state: "sound", frontier: { height: 0, hash: "00" } },
    { name: "consensus", state: "sound" },
    { name: "consensus", state: "unreadable", why: "table 000004 is not there" },
  ]);
});
