import { expect, test } from "vitest";
import { compareReferences, type ReferenceReading } from "../../../core/sync/references";
import { atHeight, seenFrom, silent } from "../chain/readings";

const contradicted = (median: number) => `the node says synced at 1000, the references are at ${median}`;
const far = (name: string, height: number) => `${name} is at height ${height}, the others at`;
const differ = "the references disagree among themselves:";

test.each<[string, ReferenceReading[], boolean | string, string[]]>([
  ["none", [], false, []],
  ["all are down", [silent("a", "x"), silent("b", "y")], false, ["a is left out: x", "b is left out: y"]],
  ["a single one", [atHeight("a", 1000)], false, []],
  ["a single one at another height", [atHeight("a", 1021)], false, []],
  ["two agree", [atHeight("a", 980), atHeight("b", 1020)], true, []],
  ["two agree at the tolerance", [atHeight("a", 1020), atHeight("b", 1020)], true, []],
  ["two are above it", [atHeight("a", 1021), atHeight("b", 1021)], contradicted(1021), []],
  ["two are below it", [atHeight("a", 979), atHeight("b", 979)], contradicted(979), []],
  ["two differ", [atHeight("a", 1000), atHeight("b", 5000)], false, [`${differ} a 1000, b 5000`]],
  [
    "a liar among three",
    [atHeight("a", 1001), atHeight("b", 9_000_000), atHeight("c", 1003)],
    true,
    [`${far("b", 9_000_000)} 1003`],
  ],
  [
    "a liar that agrees with the node",
    [atHeight("a", 5001), atHeight("b", 1000), atHeight("c", 5003)],
    contradicted(5001),
    [`${far("b", 1000)} 5001`],
  ],
  [
    "one lags",
    [atHeight("a", 1001, 3000), atHeight("b", 900, 120_001), atHeight("c", 1001, 120_000)],
    true,
    ["b is left out: it is behind: its newest momentum, 900, is 2 min old"],
  ],
  [
    "two of four differ",
    [1000, 1000, 5000, 5000].map((height, i) => atHeight(`r${i}`, height)),
    false,
    [`${differ} r0 1000, r1 1000, r2 5000, r3 5000`],
  ],
  [
    "two of five answer and agree, but may be liars",
    [atHeight("a", 1000), atHeight("b", 1000), silent("c", "x"), silent("d", "x"), silent("e", "x")],
    false,
    ["c", "d", "e"].map((name) => `${name} is left out: x`),
  ],
])("compares a height of 1000 with references, with a tolerance of 20: %s", (_what, readings, verdict, words) => {
  const { fault, agrees, notes } = compareReferences(1000, seenFrom(1000, readings), 20);
  expect([fault?.text ?? agrees, notes]).toEqual([verdict, words]);
});
