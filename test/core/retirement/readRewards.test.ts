import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ChainClient } from "../../../core/chain/chain";
import type { Rewards } from "../../../core/chain/chainAnswers";
import { judgeRewards, type RewardsQuestion, readRewards } from "../../../core/retirement/readRewards";
import { runs, smallChain } from "./smallChain";

const hour = 3_600_000;
const minute = 60_000;
const day = 24 * hour;
const znn = 100_000_000n;
const row = (epoch: number, amount = 10n * znn, qsr = 0n) => ({ epoch, znn: amount, qsr });
const rewards = (rows: Rewards["rows"], waiting = 0n): Rewards => ({ rows, uncollected: { znn: waiting, qsr: 0n } });
/** Switched at noon of day 4: epoch 5 is the first whole one. */
const switchAt = 4.5 * day;
const judged = (told: Rewards, now: number) =>
  judgeRewards(told, { genesis: 0, epoch: day, now }, async (time) => time > switchAt);

describe("rewards after a switch in epoch 4", () => {
  const due = { says: "waiting", dueAt: 6 * day + 117 * minute };
  const unpaid = "the first whole epoch after the switch, 5, is not paid yet";
  const paid = "epoch 5, the first whole one after the switch, was paid, and the rewards were collected";
  test.each<[string, Rewards, number, object, string]>([
    [
      "the switch is still to come",
      rewards([row(3)], 10n * znn),
      4.4 * day,
      { says: "waiting" },
      "the switch is still to come: the successor's address does not produce",
    ],
    [
      "the epoch of the switch runs",
      rewards([row(3)], 10n * znn),
      4.8 * day,
      due,
      `${unpaid} (it ends 1970-01-07 00:00 UTC; rewards come 1 h 00 min to 1 h 57 min after it)`,
    ],
    ["the first whole epoch runs", rewards([row(4), row(3)]), 5.5 * day, due, `${unpaid} (it ends 1970-01-07`],
    ["the first whole epoch has ended", rewards([row(4), row(3)]), 6 * day + 1, due, `${unpaid} (it has ended`],
    [
      "paid, and not collected",
      rewards([row(5), row(4)], 10n * znn),
      6.2 * day,
      { says: "waiting" },
      "paid since epoch 5, and not collected: 10 ZNN and 0 QSR wait (collect them in the wallet)",
    ],
    [
      "collected",
      rewards([row(5), row(4)]),
      6.2 * day,
      { says: "collected" },
      `${paid} (10 ZNN and 0 QSR paid since, 0 ZNN and 0 QSR wait)`,
    ],
    [
      "collected, and a newer row waits: rewards come every day",
      rewards([row(6, 1_250_000_000n), row(5), row(4)], 1_250_000_000n),
      7.2 * day,
      { says: "collected" },
      `${paid} (22.5 ZNN and 0 QSR paid since, 12.5 ZNN and 0 QSR wait)`,
    ],
    [
      "collected before the first whole epoch was paid, and not since",
      rewards([row(7), row(6), row(5), row(4)], 30n * znn),
      8.2 * day,
      { says: "waiting" },
      "paid since epoch 5, and not collected: 30 ZNN and 0 QSR wait",
    ],
    [
      "rows without amounts",
      rewards([row(6, 0n), row(5, 0n), row(4)]),
      7.2 * day,
      { says: "paidNothing" },
      "epoch 5, the first whole one after the switch, paid nothing",
    ],
    [
      "rewards of QSR alone",
      { rows: [row(5, 0n, 4n)], uncollected: { znn: 0n, qsr: 3n } },
      6.2 * day,
      { says: "collected" },
      `${paid} (0 ZNN and 0.00000004 QSR paid since, 0 ZNN and 0.00000003 QSR wait)`,
    ],
    ["no rows at all", rewards([]), 6.2 * day, due, unpaid],
    [
      "an epoch that is paid while it runs",
      rewards([row(6), row(5)]),
      6.2 * day,
      { says: "fault" },
      "epoch 6 is paid while epoch 6 still runs: does pillar-host:network.epoch fit this chain?",
    ],
  ])("are decided: %s", async (_what, told, now, expected, words) => {
    const found = await judged(told, now);
    expect(found).toMatchObject(expected);
    expect("dueAt" in found).toBe("dueAt" in expected);
    expect("why" in found ? found.why : found.evidence).toContain(words);
  });
});

describe("an epoch that paid nothing", () => {
  const nothing = rewards([row(6, 0n), row(5, 0n), row(4)]);
  const figures = (changes: object) => [{ epoch: 5, expected: 100, produced: 99, givesAll: false, ...changes }];
  const told = (changes: object) =>
    judgeRewards(
      nothing,
      { genesis: 0, epoch: day, now: 7.2 * day },
      async (time) => time > switchAt,
      figures(changes),
    );

  test("counts as collected for a Pillar that gives all to its delegators", async () => {
    expect(await told({ givesAll: true })).toEqual({
      says: "collected",
      evidence:
        "epoch 5, the first whole one after the switch, paid nothing: all rewards go to those who delegate to the Pillar",
    });
  });

  test("does not count if nothing was produced in it", async () => {
    expect(await told({ produced: 0 })).toEqual({
      says: "waiting",
      why: "epoch 5, the first whole one after the switch, paid nothing: none of 100 momentums was produced in it",
    });
  });

  test("is reported if the reason is unknown", async () => {
    expect(await told({})).toMatchObject({ says: "paidNothing" });
    expect(await told({ epoch: 4, givesAll: true })).toMatchObject({ says: "paidNothing" });
  });
});

describe("random payments, switches and collections", () => {
  const delay = hour;
  const model = fc.record({
    /** Payment of each epoch. */
    pays: fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 50 })), { minLength: 1, maxLength: 18 }),
    switchAt: fc.integer({ min: 0, max: 18 * day }),
    collections: fc.array(fc.integer({ min: 0, max: 19 * day }), { maxLength: 5 }),
    later: fc.integer({ min: 0, max: day - 1 }),
  });
  const paidAt = (epoch: number) => (epoch + 1) * day + delay;

  test("count as collected exactly if a collection took what the first whole epoch paid", async () => {
    await fc.assert(
      fc.asyncProperty(model, async ({ pays, switchAt: at, collections, later }) => {
        const now = pays.length * day + later;
        fc.pre(at <= now);
        const paid = pays.map((_, epoch) => epoch).filter((epoch) => paidAt(epoch) <= now);
        const taken = Math.max(-1, ...collections.filter((time) => time <= now));
        const waiting = paid.filter((epoch) => paidAt(epoch) > taken);
        const sum = (epochs: number[]) => BigInt(epochs.reduce((total, epoch) => total + (pays[epoch] ?? 0), 0));
        const told: Rewards = {
          rows: paid.map((epoch) => ({ epoch, znn: BigInt(pays[epoch] ?? 0), qsr: 0n })).reverse(),
          uncollected: { znn: sum(waiting), qsr: 0n },
        };
        const found = await judgeRewards(
          told,
          { genesis: 0, epoch: day, now },
          async (time) => time > at && time <= now,
        );
        const whole = paid.filter((epoch) => epoch * day > at);
        const first = whole.find((epoch) => (pays[epoch] ?? 0) > 0);
        const unpaid = whole.length > 0 && first === undefined ? "paidNothing" : "waiting";
        expect(found.says).toBe(first !== undefined && paidAt(first) <= taken ? "collected" : unpaid);
        // All payments up to the first whole epoch are collected then.
        if (found.says === "collected") expect(sum(waiting.filter((epoch) => epoch <= (whole[0] ?? -1)))).toBe(0n);
        if (found.says === "waiting" && "dueAt" in found && found.dueAt !== undefined)
          expect(found.dueAt).toBe(paidAt(Math.floor(at / day) + 1) + 57 * minute);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("reading rewards from a node", () => {
  // Epochs of 100 s; the switch is at 250 s.
  const question: RewardsQuestion = {
    pillar: "Anvil",
    oldProducer: "own",
    newProducer: "next",
    withdrawAddress: "withdraw",
    epoch: 100_000,
  };
  /** Delay on a network whose day has 100 s. */
  const late = (117 / 1440) * 100_000;
  const producers = (seconds: number) => runs(["own", 250], ["next", seconds - 250]);
  const read = (seconds: number, changes: Partial<ChainClient>) =>
    readRewards(smallChain(producers(seconds), changes), question, seconds * 1000);
  const told = (rows: Rewards["rows"], waiting: bigint) => ({ rewards: async () => rewards(rows, waiting) });

  test("decides by the producer at an epoch's begin", async () => {
    expect(await read(450, told([row(3), row(2)], 5n))).toMatchObject({ source: "reference A", says: "collected" });
    expect(await read(450, told([row(3), row(2)], 10n * znn))).toMatchObject({ says: "waiting" });
    // Epoch 2 began before the switch, so its payment does not count.
    expect(await read(390, told([row(2)], 0n))).toMatchObject({ says: "waiting", dueAt: 400_000 + late });
  });

  test("counts an epoch that begins with the switch as whole", async () => {
    const exact = smallChain(runs(["own", 200], ["next", 250]), told([row(3), row(2), row(1)], 0n));
    expect(await readRewards(exact, question, 449_000)).toMatchObject({
      says: "collected",
      evidence: expect.stringMatching(/^epoch 2, the first whole one after the switch/),
    });
    // The old address had one slot of it.
    const late = smallChain(runs(["own", 201], ["next", 249]), told([row(3), row(2), row(1)], 0n));
    expect(await readRewards(late, question, 449_000)).toMatchObject({ evidence: expect.stringMatching(/^epoch 3,/) });
  });

  test("reads few momentums, even after many paid epochs", async () => {
    let asked = 0;
    const chain = smallChain(runs(["own", 250], ["next", 1750]));
    const counted: ChainClient = {
      ...chain,
      ...told(
        Array.from({ length: 19 }, (_, at) => row(18 - at)),
        0n,
      ),
      momentums: (from, count) => {
        asked += count;
        return chain.momentums(from, count);
      },
    };
    expect(await readRewards(counted, question, 1_999_000)).toMatchObject({
      says: "collected",
      evidence: expect.stringMatching(/^epoch 3,/),
    });
    expect(asked).toBeLessThan(12 * 64);
  });

  test("names the reward address", async () => {
    expect(await read(450, told([row(3), row(2)], 10n * znn))).toMatchObject({ rewardAddress: "withdraw" });
  });

  test("counts the last switch after a rollback", async () => {
    const back = smallChain(runs(["next", 150], ["own", 200], ["next", 100]), told([row(3), row(2), row(1)], 0n));
    expect(await readRewards(back, question, 449_000)).toMatchObject({ says: "waiting", dueAt: 500_000 + late });
  });

  test.each([
    ["less than a day after the switch", 340, false],
    ["a day after it", 351, true],
  ])("reports a node without the methods, %s", async (_what, seconds, aDayAfter) => {
    expect(await read(seconds, { rewards: async () => "notOffered" })).toEqual({
      source: "reference A",
      says: "notOffered",
      aDayAfter,
    });
  });

  test("waits a whole day even if epochs are longer", async () => {
    const long = { ...question, epoch: 7 * day };
    const at = (seconds: number) =>
      readRewards(smallChain(producers(300), { rewards: async () => "notOffered" }), long, seconds * 1000);
    expect(await at(250 + 86_390)).toMatchObject({ aDayAfter: false });
    expect(await at(250 + 86_410)).toMatchObject({ aDayAfter: true });
  });

  test.each<[string, Partial<ChainClient>, string]>([
    ["has no first momentum", { momentums: async () => [] }, "it has no first momentum"],
    ["breaks off", { rewards: () => Promise.reject(new Error("ECONNRESET")) }, "ECONNRESET"],
    [
      "has no momentum before a time",
      { before: () => Promise.reject(new Error("no method")), rewards: async () => rewards([row(3)]) },
      "no method",
    ],
  ])("reports a node that %s", async (_what, changes, why) => {
    expect(await read(450, changes)).toEqual({ source: "reference A", says: "fault", why });
  });
});
