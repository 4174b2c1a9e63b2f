import { expect, test } from "vitest";
import { judgeObservation, mayBeAddingMomentum } from "../../../core/sync/judgeObservation";
import { answer, nodeTime, none } from "./looks";

const fresh = { newestAge: 4000 };

test.each([
  ["no answer", none("no answer within 15 s"), "no", "no answer within 15 s"],
  ["state 1", answer(1, 5, 10), "no", "syncing"],
  ["state 1 at the target with a fresh momentum", answer(1, 10, 10, fresh), "no", "syncing"],
  ["state 0", answer(0, 10, 10, fresh), "no", "sync state 0"],
  ["state 4", answer(4, 10, 10, fresh), "no", "sync state 4"],
  ["state 3", answer(3, 10, 10, fresh), "no", "not enough peers: is 35995/tcp and udp open to the world?"],
  [
    "state 3, 2 peers",
    answer(3, 9, 0, { peers: 2 }),
    "no",
    "not enough peers (2): is 35995/tcp and udp open to the world?",
  ],
  [
    "state 3, no peer",
    answer(3, 9, 0, { peers: 0 }),
    "no",
    "not enough peers (0): is 35995/tcp and udp open to the world?",
  ],
  ["state 2, three below the target", answer(2, 7, 10, fresh), "no", "the node says synced, below its own target"],
  ["state 2, two below the target", answer(2, 8, 10, fresh), "close", "the node says synced, below its own target"],
  ["state 2, one below the target", answer(2, 9, 10), "close", "the node says synced, below its own target"],
  ["state 2, fresh", answer(2, 10, 10, fresh), "synced", "synced, newest momentum 4 s old"],
  ["state 2, 120 s old", answer(2, 10, 10, { newestAge: 120_000 }), "synced", "synced, newest momentum 120 s old"],
  [
    "state 2, older",
    answer(2, 10, 10, { newestAge: 120_001 }),
    "no",
    "the node says synced, but its newest momentum is 120 s old",
  ],
  [
    "state 2, from the future",
    answer(2, 10, 10, { newestAge: -121_000 }),
    "no",
    "the node says synced, but its newest momentum is -121 s old",
  ],
  ["state 2, fresh, target 0", answer(2, 10, 0, fresh), "synced", "synced, newest momentum 4 s old"],
  ["state 2, fresh, target below", answer(2, 35, 1, fresh), "synced", "synced, newest momentum 4 s old"],
  ["state 2, no momentum, at the target", answer(2, 10, 10), "synced", "synced, height equals target"],
  [
    "state 2, no momentum, target 0",
    answer(2, 10, 0),
    "unproved",
    "the node says synced with a target of 0, and does not return its newest momentum",
  ],
  [
    "state 2, no momentum, target below",
    answer(2, 35, 1),
    "unproved",
    "the node says synced with a target of 1, and does not return its newest momentum",
  ],
  [
    "state 2, no momentum, nothing at all",
    answer(2, 0, 0),
    "unproved",
    "the node says synced with a target of 0, and does not return its newest momentum",
  ],
])("judges a node: %s", (_what, observation, says, why) => {
  const verdict = judgeObservation(observation, nodeTime);
  expect({ ...verdict, why: verdict.why.text }).toEqual({ says, why });
});

// A lookup of the node alone cannot decide which clock is right.
test.each([
  ["fresh by the host's clock alone", answer(2, 10, 10, fresh), nodeTime + 600_000, "600 s apart"],
  ["fresh by this machine's alone", answer(2, 10, 10, { newestAge: 300_000 }), nodeTime - 300_000, "300 s apart"],
])("judges a momentum with differing clocks: %s", (_what, observation, clock, why) => {
  const verdict = judgeObservation(observation, clock);
  expect(verdict).toMatchObject({ says: "unproved", why: { kind: "clocksApart" } });
  expect(verdict.why.text).toContain(why);
});

test.each([
  ["one below the target", answer(1, 9, 10), true],
  ["two below it", answer(1, 8, 10), true],
  ["at the target", answer(1, 10, 10), true],
  ["three below it", answer(1, 7, 10), false],
  ["without a target", answer(1, 1, 0), false],
  ["no answer", none("away"), false],
  ["not enough peers", answer(3, 9, 10), false],
])("recognizes a node that may be adding a momentum: %s", (_, observation, expected) => {
  expect(mayBeAddingMomentum(observation)).toBe(expected);
});
