import { expect, test } from "vitest";
import { judge } from "../../../providers/gate/verdict";
import { answer, none } from "./looks";

const fresh = { newestAge: 4000 };

test.each([
  ["no answer", none("no answer within 15 s"), false, "no answer within 15 s"],
  ["state 1", answer(1, 5, 10), false, "syncing"],
  ["state 1 at the target with a fresh momentum", answer(1, 10, 10, fresh), false, "syncing"],
  ["state 0", answer(0, 10, 10, fresh), false, "sync state 0"],
  ["state 4", answer(4, 10, 10, fresh), false, "sync state 4"],
  ["state 3", answer(3, 10, 10, fresh), false, "not enough peers: is 35995/tcp and udp open to the world?"],
  [
    "state 3, 2 peers",
    answer(3, 9, 0, { peers: 2 }),
    false,
    "not enough peers (2): is 35995/tcp and udp open to the world?",
  ],
  [
    "state 3, no peer",
    answer(3, 9, 0, { peers: 0 }),
    false,
    "not enough peers (0): is 35995/tcp and udp open to the world?",
  ],
  ["state 2 below the target", answer(2, 9, 10, fresh), false, "the node says synced, below its own target"],
  ["state 2, fresh", answer(2, 10, 10, fresh), true, "synced, newest momentum 4 s old"],
  ["state 2, 120 s old", answer(2, 10, 10, { newestAge: 120_000 }), true, "synced, newest momentum 120 s old"],
  [
    "state 2, older",
    answer(2, 10, 10, { newestAge: 120_001 }),
    false,
    "the node says synced, but its newest momentum is 120 s old",
  ],
  [
    "state 2, from the future",
    answer(2, 10, 10, { newestAge: -121_000 }),
    false,
    "the node says synced, but its newest momentum is -121 s old",
  ],
  ["state 2, fresh, target 0", answer(2, 10, 0, fresh), true, "synced, newest momentum 4 s old"],
  ["state 2, fresh, target below", answer(2, 35, 1, fresh), true, "synced, newest momentum 4 s old"],
  ["state 2, no momentum, at the target", answer(2, 10, 10), true, "synced, height equals target"],
  [
    "state 2, no momentum, target 0",
    answer(2, 10, 0),
    false,
    "the node says synced with a target of 0, and does not tell its newest momentum",
  ],
  [
    "state 2, no momentum, target below",
    answer(2, 35, 1),
    false,
    "the node says synced with a target of 1, and does not tell its newest momentum",
  ],
  [
    "state 2, no momentum, nothing at all",
    answer(2, 0, 0),
    false,
    "the node says synced with a target of 0, and does not tell its newest momentum",
  ],
])("%s", (_what, observation, synced, why) => {
  expect(judge(observation)).toEqual({ synced, why });
});
