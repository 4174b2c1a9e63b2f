import { describe, expect, test } from "vitest";
import type { ChainClient, Rewards } from "../../../core/chain/chain.ts";
import type { PaidEpoch } from "../../../core/chain/chainAnswers.ts";
import { judgeRewards, type RewardsJudgement, readRewards } from "../../../core/retirement/readRewards.ts";
import { runs, smallChain } from "./smallChain.ts";

const hour = 3_600_000;
const minute = 60_000;
const day = 24 * hour;
const znn = 100_000_000n;
const row = (epoch: number, amount = 10n * znn, qsr = 0n) => ({ epoch, znn: amount, qsr });
const rewards = (rows: Rewards["rows"], waiting = 0n): Rewards => ({ rows, uncollected: { znn: waiting, qsr: 0n } });
/** Judges rewards after a switch at noon of day 4: epoch 5 is the first whole one. */
const judged = (told: Rewards, days: number, ...figures: readonly PaidEpoch[]) =>
  judgeRewards(told, { genesis: 0, epoch: day, now: days * day }, async (time) => time > 4.5 * day, figures);

const unpaid = "the first whole epoch after the switch, 5, is not paid yet";
const ends = `${unpaid} (it ends 1970-01-07 00:00 UTC; its rewards come within 1 h 57 min)`;
const paid = "epoch 5, the first whole one after the switch, was paid, and the rewards were collected";
const since = "paid since epoch 5, and not collected: ";
const qsr = { rows: [row(5, 0n, 4n)], uncollected: { znn: 0n, qsr: 3n } };
const more = rewards([row(6, 1_250_000_000n), row(5), row(4)], 1_250_000_000n);
const late = rewards([row(7), row(6), row(5), row(4)], 30n * znn);
test.each<[RewardsJudgement["says"], string, Rewards, number]>([
  ["waiting", "the switch is still to come: the successor's address does not produce", rewards([row(3)]), 4.4],
  ["waiting", ends, rewards([row(3)], 10n * znn), 4.8],
  ["waiting", ends, rewards([row(4), row(3)]), 5.5],
  ["waiting", `${unpaid} (it has ended`, rewards([row(4), row(3)]), 6.001],
  ["waiting", `${unpaid} (it has ended`, rewards([]), 6.2],
  ["waiting", `${since}10 ZNN and 0 QSR wait`, rewards([row(5), row(4)], 10n * znn), 6.2],
  ["collected", `${paid} (10 ZNN and 0 QSR paid since, 0 ZNN and 0 QSR wait)`, rewards([row(5), row(4)]), 6.2],
  ["collected", `${paid} (22.5 ZNN and 0 QSR paid since, 12.5 ZNN and 0 QSR wait)`, more, 7.2],
  ["waiting", `${since}30 ZNN and 0 QSR wait`, late, 8.2],
  ["collected", `${paid} (0 ZNN and 0.00000004 QSR paid since, 0 ZNN and 0.00000003 QSR wait)`, qsr, 6.2],
  ["fault", "epoch 6 is paid while epoch 6 still runs: does pillar-host:network", rewards([row(6), row(5)]), 6.2],
])("rewards after a switch in epoch 4 are %s: %s", async (says, words, told, days) => {
  const found = await judged(told, days);
  expect([found.says, found.text]).toEqual([says, expect.stringContaining(words)]);
  expect(found.dueAt).toBe(words.startsWith(unpaid) ? 6 * day + 117 * minute : undefined);
});

const changedAddress =
  "paid nothing for 99 momentums: was the reward address changed? Then collect what the earlier one was paid, and wait for the next payment";
const given = "paid nothing: all rewards go to those who delegate to the Pillar";
test.each<[object, bigint, string, string]>([
  [{ givesAll: true }, 0n, "collected", given],
  [{ givesAll: true }, 10n * znn, "waiting", `${given}; but of earlier epochs 10 ZNN and 0 QSR wait`],
  // The reward address was changed after epoch 5 was paid, and all is given away since.
  [{ epoch: 6, givesAll: true }, 0n, "collected", given],
  [{ produced: 0 }, 0n, "waiting", "paid nothing: none of 100 momentums was produced in it"],
  [{}, 0n, "fault", changedAddress],
  [{ epoch: 4, givesAll: true }, 0n, "fault", "paid nothing"],
])("judges an epoch that paid nothing by its figures: %j, %d", async (changes, waiting, says, words) => {
  const figures = { epoch: 5, expected: 100, produced: 99, givesAll: false, ...changes };
  const nothing = rewards([row(6, 0n), row(5, 0n), row(4)], waiting);
  const text = `epoch 5, the first whole one after the switch, ${words}`;
  expect(await judged(nothing, 7.2, figures)).toEqual({ says, text });
});

test.each<[bigint, RewardsJudgement["says"], string]>([
  [10n * znn, "waiting", "paid since epoch 6, and not collected: 10 ZNN"],
  [
    0n,
    "collected",
    "epoch 6, the first that paid the present reward address, was paid, and the rewards were collected",
  ],
])("a reward address that was changed after a payment owes only later ones: %d", async (waiting, says, words) => {
  const found = await judged(rewards([row(6), row(5, 0n), row(4, 0n)], waiting), 7.2);
  expect([found.says, found.text]).toEqual([says, expect.stringContaining(words)]);
});

describe("reading rewards from a node", () => {
  // Epochs of 100 s; the switch is at 250 s.
  const question = { pillar: "Anvil", oldProducer: "own", newProducer: "next", withdrawAddress: "z1w", epoch: 100_000 };
  /** Delay on a network whose day has 100 s. */
  const late = (117 / 1440) * 100_000;
  const producers = (seconds: number) => runs(["own", 250], ["next", seconds - 250]);
  const read = (seconds: number, changes: Partial<ChainClient>) =>
    readRewards(smallChain(producers(seconds), changes), question, seconds * 1000);
  const told = (rows: Rewards["rows"], waiting: bigint) => ({ rewards: async () => rewards(rows, waiting) });

  const manyRows = Array.from({ length: 19 }, (_, at) => row(18 - at));
  const third = { says: "collected", text: expect.stringMatching(/^epoch 3,/) };

  test("decides by the producer at an epoch's begin", async () => {
    expect(await read(450, told([row(3), row(2)], 5n))).toMatchObject({ source: "reference A", says: "collected" });
    expect(await read(450, told([row(3), row(2)], 10n * znn))).toMatchObject({ says: "waiting" });
    // Epoch 2 began before the switch, so its payment does not count.
    expect(await read(390, told([row(2)], 0n))).toMatchObject({ says: "waiting", dueAt: 400_000 + late });
  });

  test("counts an epoch that begins with the switch as whole", async () => {
    const exact = smallChain(runs(["own", 200], ["next", 250]), told([row(3), row(2), row(1)], 0n));
    const second = { says: "collected", text: expect.stringMatching(/^epoch 2,/) };
    expect(await readRewards(exact, question, 449_000)).toMatchObject(second);
    // The old address had one slot of it.
    const late = smallChain(runs(["own", 201], ["next", 249]), told([row(3), row(2), row(1)], 0n));
    expect(await readRewards(late, question, 449_000)).toMatchObject(third);
  });

  test("reads few momentums, even after many paid epochs", async () => {
    let asked = 0;
    const chain = smallChain(runs(["own", 250], ["next", 1750]));
    const momentums: ChainClient["momentums"] = (from, count) => {
      asked += count;
      return chain.momentums(from, count);
    };
    const counted: ChainClient = { ...chain, ...told(manyRows, 0n), momentums };
    expect(await readRewards(counted, question, 1_999_000)).toMatchObject(third);
    expect(asked).toBeLessThan(12 * 64);
  });

  test("counts the last switch after a rollback, also behind many epochs of an earlier time", async () => {
    const back = smallChain(runs(["next", 150], ["own", 200], ["next", 100]), told([row(3), row(2), row(1)], 0n));
    expect(await readRewards(back, question, 449_000)).toMatchObject({ says: "waiting", dueAt: 500_000 + late });
    const again = smallChain(runs(["own", 500], ["next", 1000], ["own", 400], ["next", 90]), told(manyRows, 0n));
    expect(await readRewards(again, question, 1_990_000)).toMatchObject({ says: "waiting", dueAt: 2_000_000 + late });
  });

  test.each<[string, Partial<ChainClient>]>([
    ["it has no first momentum", { momentums: async () => [] }],
    ["ECONNRESET", { rewards: () => Promise.reject(new Error("ECONNRESET")) }],
    ["no method", { before: () => Promise.reject(new Error("no method")), ...told([row(3)], 0n) }],
  ])("reports a node that fails: %s", async (text, changes) => {
    expect(await read(450, changes)).toMatchObject({ says: "fault", text });
  });
});
