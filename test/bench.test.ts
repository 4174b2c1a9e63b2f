import { describe, expect, test } from "vitest";
import { parseArguments } from "../lab/bench/arguments";
import { moveByHand } from "../lab/bench/byHand";
import { answersOf } from "../lab/bench/chainCopy";
import { syncedSince } from "../lab/bench/decision";
import { around } from "../lab/bench/memory";
import { median, ratioOf, rowNames, rowsOf, tableOf, type Values } from "../lab/bench/rows";
import { forecastsMet, leastMoves } from "../lab/bench/signerGap";

describe("median", () => {
  test("is the middle value, in whatever order they come", () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([100, 2, 3, 4])).toBe(3.5);
    expect(median([7])).toBe(7);
  });

  test("of nothing is a fault, not a figure", () => {
    expect(() => median([])).toThrow("nothing was measured");
  });
});

describe("ratioOf", () => {
  test("compares within each round, so that a slow minute weighs on both", () => {
    const rounds = [
      { ours: 2, peer: 4 },
      { ours: 30, peer: 50 },
      { ours: 3, peer: 4 },
    ];
    expect(ratioOf(rounds)).toBe(0.6);
  });
});

describe("the forecast of the signer's gap", () => {
  const inside = { least: 2, most: 8, gap: 5 };
  const ten = (missed: number) =>
    forecastsMet([...Array(10 - missed).fill(inside), ...Array(missed).fill({ ...inside, gap: 8.1 })], leastMoves);
  const goal = (missed: number) => rowsOf(ten(missed)).find(({ name }) => name === "forecastMissed")?.met;

  test("is met where nine moves of ten were inside, and missed with two outside, on either side", () => {
    expect([goal(0), goal(1), goal(2)]).toEqual([true, true, false]);
    expect(ten(1)).toEqual({ forecastMissed: 0.1, forecastMoves: 10, forecastLeast: 2, forecastMost: 8 });
    expect(forecastsMet([...Array(9).fill(inside), { ...inside, gap: 1.9 }], leastMoves)).toMatchObject({
      forecastMissed: 0.1,
    });
  });

  test("is not judged by fewer moves than ten", () => {
    expect(() => forecastsMet(Array(9).fill(inside), leastMoves)).toThrow("9 moves had a forecast, needed 10");
  });
});

describe("rows", () => {
  test("come in the table's order, and say whether the goal was met", () => {
    expect(rowsOf({ decision: 10, unchangedUp: 2.34567, unchanged: 0.5001 })).toEqual([
      { name: "unchanged", value: 0.5, unit: "ratio", goal: 0.5, met: false },
      { name: "unchangedUp", value: 2.346, unit: "s", goal: null, met: null },
      { name: "decision", value: 10, unit: "s", goal: 10, met: true },
    ]);
  });

  test("a goal of less than something is missed at it", () => {
    expect(rowsOf({ standUp: 1 })[0]?.met).toBe(false);
    expect(rowsOf({ standUp: 0.999 })[0]?.met).toBe(true);
  });

  test("the signer's gap must be shorter than by hand, its bulk copy no slower than scp -r", () => {
    const met = (values: Values) => rowsOf(values).map(({ goal, met }) => [goal, met]);
    expect(met({ signerGap: 0.99, bulkCopy: 1 })).toEqual([
      [1, true],
      [1, true],
    ]);
    expect(met({ signerGap: 1, bulkCopy: 1.01 })).toEqual([
      [1, false],
      [1, false],
    ]);
    expect(met({ forecastMissed: 0.1, forecastLeast: 1, forecastMost: 4 })).toEqual([
      [0.1, true],
      [null, null],
      [null, null],
    ]);
    expect(met({ forecastMissed: 0.2 })).toEqual([[0.1, false]]);
    expect(met({ signerGapUp: 1.5, signerGapByHand: 1.8, bulkCopyOurs: 4, bulkCopyScp: 5 })).toEqual(
      Array.from({ length: 4 }, () => [null, null]),
    );
  });

  test("the table shows values to the right, goals in words, and what was missed", () => {
    expect(tableOf(rowsOf({ unchanged: 0.456, standUp: 1.2, standUpUp: 31.04, connections: 10 }))).toBe(
      [
        "row          what                                                      value  goal",
        "unchanged    up that changes nothing / playbook that changes nothing    0.46  at most 0.5  met",
        "standUp      stand-up without the sync / playbook doing it              1.20  below 1      MISSED",
        "standUpUp      the up                                                 31.0 s",
        "connections  ssh connections of a stand-up                                10  at most 12   met",
        "",
      ].join("\n"),
    );
  });
});

describe("arguments", () => {
  test("without any, everything is measured in five rounds and shown as a table", () => {
    expect(parseArguments([])).toEqual({ json: false, rounds: 5, trial: false, only: rowNames });
  });

  test("rows are picked by name, one or more", () => {
    const asked = parseArguments(["--json", "--only", "standUp", "--only=connections", "--rounds", "7"]);
    expect(asked).toEqual({ json: true, rounds: 7, trial: false, only: ["standUp", "connections"] });
  });

  test("a trial is one round of everything", () => {
    expect(parseArguments(["--trial", "--rounds", "7"])).toEqual({
      json: false,
      rounds: 1,
      trial: true,
      only: rowNames,
    });
  });

  test.each([
    [["--only", "nothing"], /the rows are: unchanged, /],
    [["--rounds", "0"], /needed a number from 1/],
    [["--rounds", "many"], /needed a number from 1/],
    [["unchanged"], /too many arguments/],
    [["--quick"], /unknown option/],
  ])("%j is refused with what there is", (args, message) => {
    expect(() => parseArguments(args)).toThrow(message);
  });
});

describe("the move by hand", () => {
  test("is the specification's steps, and ends with the first good answer", () => {
    const lines = moveByHand("203.0.113.7").split("\n");
    expect(lines.slice(0, 4)).toEqual([
      "set -e",
      "ssh root@203.0.113.7 systemctl stop orchestrator",
      "scp -r -q root@203.0.113.7:/root/.orchestrator /root/",
      "systemctl start orchestrator",
    ]);
    expect(lines.at(-1)).toBe("date +%s.%N");
  });
});

describe("syncedSince", () => {
  const reports = [1, 3, 2, 2, 1, 2, 2].map((state, i) => ({ state, at: i * 1000 }));

  test("is the last report before the decision that did not say synced", () => {
    expect(syncedSince(reports, 6500)).toBe(4000);
    expect(syncedSince(reports, 3500)).toBe(1000);
  });

  test("knows nothing of what came after the decision", () => {
    expect(syncedSince([...reports, { state: 1, at: 7000 }], 6500)).toBe(4000);
  });

  test("a decision without a synced node is no figure", () => {
    expect(() => syncedSince(reports.slice(0, 2), 1500)).toThrow("never said so");
    expect(() => syncedSince([], 1500)).toThrow("never said so");
  });
});

describe("around", () => {
  test("is the median of the samples near a poll", () => {
    const samples = [1400, 1500, 2000, 2500, 2600].map((poll, i) => {
      const live = [1, 50, 300, 60, 1000][i] ?? 0;
      return { poll, live, resident: live * 2 };
    });
    expect(around(samples, 2000, "live")).toBe(60);
    expect(around(samples, 2000, "resident")).toBe(120);
  });
});

describe("answersOf", () => {
  test("is the slowest answer, and the longest way from one momentum to the next", () => {
    const lines = ["1.0 0.01 7", "5.0 0.02 8", "9.0 0.5 8", "15.5 0.01 9", "18.0 0.01 10", ""].join("\n");
    expect(answersOf(lines)).toEqual({ slowest: 0.5, longest: 10.5 });
  });

  test("one that is refused is the slowest of all", () => {
    expect(answersOf("1 0.01 7\n2 0.01 8\n3 999 0\n4 0.01 9").slowest).toBe(999);
  });

  test("a node that stood still is no figure", () => {
    expect(() => answersOf("1 0.01 7\n2 0.01 7")).toThrow("nothing was measured");
  });
});
