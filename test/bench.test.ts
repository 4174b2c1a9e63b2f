import { expect, test } from "vitest";
import { median, ratioOf, tableOf } from "../lab/bench/rows.ts";

test("the median is the middle value, in whatever order they come", () => {
  expect([median([9, 1, 5]), median([100, 2, 3, 4]), median([7])]).toEqual([5, 3.5, 7]);
  expect(() => median([])).toThrow("nothing was measured");
});

test("the ratio compares within each round, so that a slow minute weighs on both", () => {
  const rounds = [
    { ours: 2, peer: 4 },
    { ours: 30, peer: 50 },
    { ours: 3, peer: 4 },
  ];
  expect(ratioOf(rounds)).toBe(0.6);
});

test("the table has the measured rows in its own order, and says which goals were missed", () => {
  const values = { standUpUp: 31.04, standUp: 0.5501, signerGap: 1, unchanged: 0.27, statusTen: 6 };
  expect(tableOf(values)).toBe(
    [
      "row        what                                                      value  goal",
      "unchanged  up that changes nothing / playbook that changes nothing    0.27  at most 0.27  met",
      "standUp    stand-up without the sync / playbook doing it              0.55  at most 0.55  MISSED",
      "standUpUp    the up                                                 31.0 s",
      "signerGap  bridge without this signer, 50 MB / moving it by hand      1.00  below 1       MISSED",
      "statusTen  status --all of ten stacks                                6.0 s  at most 6     met",
      "",
    ].join("\n"),
  );
});
