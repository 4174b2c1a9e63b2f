import { expect, test } from "vitest";
import { isAddingMomentum, judgeObservation } from "../../../core/sync/judgeObservation.ts";
import { answer, nodeTime, none } from "./looks.ts";

const fresh = { newestAge: 4000 };
const closed = (peers = "") => `not enough peers${peers}: is 35995/tcp and udp open to the world?`;
const below = "the node says synced, below its own target";
const untold = "the node says synced, and does not return its newest momentum";
const aged = (seconds: number) => `the node says synced, but its newest momentum is ${seconds} s old`;

test.each([
  ["no answer", none("no answer within 15 s"), "no", "no answer within 15 s"],
  ["state 1 at the target with a fresh momentum", answer(1, 10, 10, fresh), "no", "syncing"],
  ["state 0", answer(0, 10, 10, fresh), "no", "sync state 0"],
  ["state 4", answer(4, 10, 10, fresh), "no", "sync state 4"],
  ["state 3", answer(3, 10, 10, fresh), "no", closed()],
  ["state 3, no peer", answer(3, 9, 0, { peers: 0 }), "no", closed(" (0)")],
  ["three below the target", answer(2, 7, 10, fresh), "no", below],
  ["two below the target", answer(2, 8, 10, fresh), "close", below],
  ["120 s old", answer(2, 10, 10, { newestAge: 120_000 }), "synced", "synced, newest momentum 120 s old"],
  ["older", answer(2, 10, 10, { newestAge: 120_001 }), "no", aged(120)],
  ["from the future", answer(2, 10, 10, { newestAge: -121_000 }), "no", aged(-121)],
  ["fresh, target 0", answer(2, 10, 0, fresh), "synced", "synced, newest momentum 4 s old"],
  ["fresh, target below", answer(2, 35, 1, fresh), "synced", "synced, newest momentum 4 s old"],
  ["no momentum", answer(2, 10, 10), "no", untold],
])("judges a node: %s", (_what, observation, says, why) => {
  const verdict = judgeObservation(observation, nodeTime);
  expect({ ...verdict, why: verdict.why.text }).toEqual({ says, why });
});

// A lookup of the node alone cannot decide which clock is right.
test.each([
  ["by the host's clock alone", answer(2, 10, 10, fresh), nodeTime + 600_000, "600 s apart"],
  ["by this machine's alone", answer(2, 10, 10, { newestAge: 300_000 }), nodeTime - 300_000, "300 s apart"],
])("judges a momentum that is fresh %s", (_what, observation, clock, why) => {
  const verdict = judgeObservation(observation, clock);
  expect(verdict).toMatchObject({ says: "unproved", why: { kind: "clocksApart", text: expect.stringContaining(why) } });
});

test.each([
  ["two below the target", answer(1, 8, 10), true],
  ["at the target", answer(1, 10, 10), true],
  ["three below it", answer(1, 7, 10), false],
  ["without a target", answer(1, 1, 0), false],
  ["synced but for a momentum", answer(2, 9, 10), true],
  ["synced", answer(2, 10, 10, fresh), false],
  ["no answer", none("away"), false],
  ["not enough peers", answer(3, 9, 10), false],
])("recognizes a node that may be adding a momentum: %s", (_, observation, expected) => {
  expect(isAddingMomentum(observation, nodeTime)).toBe(expected);
});
