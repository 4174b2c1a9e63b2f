import { describe, expect, test } from "vitest";
import { parseArguments } from "../lab/bench/arguments";
import { moveByHand } from "../lab/bench/byHand";
import { answersOf } from "../lab/bench/chainCopy";
import { median, ratioOf, rowNames, rowsOf, tableOf } from "../lab/bench/rows";

describe("median", () => {
  test("is the middle value, in whatever order they come", () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([100, 2, 3, 4])).toBe(3.5);
    expect(median([7])).toBe(7);
  });

  test("refuses an empty list", () => {
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

describe("rows", () => {
  test("come in the table's order, and say whether the goal was met", () => {
    expect(rowsOf({ statusTen: 10, unchangedUp: 2.34567, unchanged: 0.5001 })).toEqual([
      { name: "unchanged", value: 0.5, unit: "ratio", goal: 0.5, met: false },
      { name: "unchangedUp", value: 2.346, unit: "s", goal: null, met: null },
      { name: "statusTen", value: 10, unit: "s", goal: 10, met: true },
    ]);
  });

  test("a goal of less than something is missed at it", () => {
    expect(rowsOf({ standUp: 1 })[0]?.met).toBe(false);
    expect(rowsOf({ standUp: 0.999 })[0]?.met).toBe(true);
  });

  test("the table shows values to the right, goals in words, and what was missed", () => {
    expect(tableOf(rowsOf({ unchanged: 0.456, standUp: 1.2, standUpUp: 31.04 }))).toBe(
      [
        "row        what                                                      value  goal",
        "unchanged  up that changes nothing / playbook that changes nothing    0.46  at most 0.5  met",
        "standUp    stand-up without the sync / playbook doing it              1.20  below 1      MISSED",
        "standUpUp    the up                                                 31.0 s",
        "",
      ].join("\n"),
    );
  });
});

describe("arguments", () => {
  test("measure everything in five rounds and print a table by default", () => {
    expect(parseArguments([])).toEqual({ json: false, rounds: 5, gigabytes: 1, mbps: 1000, only: rowNames });
  });

  test("pick rows by name, one or more", () => {
    const asked = parseArguments(["--json", "--only", "standUp", "--only=signerGap", "--rounds", "7"]);
    expect(asked).toMatchObject({ json: true, rounds: 7, only: ["standUp", "signerGap"] });
  });

  test.each([
    [["--only", "nothing"], /the rows are: unchanged, /],
    [["--rounds", "0"], /needed a number from 1/],
    [["--rounds", "many"], /needed a number from 1/],
    [["unchanged"], /too many arguments/],
    [["--quick"], /unknown option/],
  ])("are refused if wrong, with the list of rows: %j", (args, message) => {
    expect(() => parseArguments(args)).toThrow(message);
  });
});

describe("the move by hand", () => {
  test("has the specification's steps, and ends with the first good answer", () => {
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

describe("answersOf", () => {
  test("is the slowest answer, and the longest way from one momentum to the next", () => {
    const lines = ["1.0 0.01 7", "5.0 0.02 8", "9.0 0.5 8", "15.5 0.01 9", "18.0 0.01 10", ""].join("\n");
    expect(answersOf(lines)).toEqual({ slowest: 0.5, longest: 10.5 });
  });

  test("counts a refused answer as the slowest", () => {
    expect(answersOf("1 0.01 7\n2 0.01 8\n3 999 0\n4 0.01 9").slowest).toBe(999);
  });

  test("takes no figure from a node that stood still", () => {
    expect(() => answersOf("1 0.01 7\n2 0.01 7")).toThrow("nothing was measured");
  });
});
