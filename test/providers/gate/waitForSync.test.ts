import { describe, expect, test } from "vitest";
import { type GaveUp, type WaitOptions, waitForSync } from "../../../providers/gate/waitForSync";
import type { Observation } from "../../../providers/rpc/node";
import { fatal } from "../../../providers/rpc/ssh";
import { answer, hour, none } from "./looks";

const good = answer(2, 1000, 1000, { newestAge: 3000 });
const minute = 60_000;

/** A world whose time passes in sleeps only; looks find the list in turn, its last item for ever after. */
function worldOf(found: readonly (Observation | Error)[], isWanted: (looks: number) => boolean = () => true) {
  const seen = { sleeps: [] as number[], lines: [] as string[], looks: 0, clock: 0 };
  const world = {
    client: {
      observe: async () => {
        const next = found[Math.min(seen.looks, found.length - 1)];
        seen.looks += 1;
        if (next === undefined) throw new Error("nothing to see");
        if (next instanceof Error) throw next;
        return next;
      },
      close: () => undefined,
    },
    now: () => seen.clock,
    sleep: async (milliseconds: number) => {
      seen.sleeps.push(milliseconds);
      seen.clock += milliseconds;
    },
    say: (line: string) => {
      seen.lines.push(line);
    },
    isWanted: () => isWanted(seen.looks),
  };
  return { world, seen };
}

const options: WaitOptions = { confirmations: 3, deadline: 7 * 24 * hour, startedAt: 0, address: "203.0.113.7" };

const giveUp = (waiting: Promise<unknown>) =>
  waiting.then(
    () => {
      throw new Error("it did not give up");
    },
    (error: GaveUp) => error,
  );

describe("synced", () => {
  test("after as many good looks in a row as are wanted, 2 s apart", async () => {
    const { world, seen } = worldOf([good]);
    expect(await waitForSync(options, world)).toEqual({
      state: 2,
      currentHeight: 1000,
      targetHeight: 1000,
      startHeight: 1000,
      startedAt: 0,
      syncedAt: 4000,
    });
    expect(seen.sleeps).toEqual([2000, 2000]);
    expect(seen.lines).toEqual(
      [1, 2, 3].map((n) => `sync: 100.0 %, height 1000 of 1000, synced, newest momentum 3 s old (${n} of 3 looks)`),
    );
  });

  test.each([1, 5])("%i looks, when so many are wanted", async (confirmations) => {
    const { world, seen } = worldOf([good]);
    await waitForSync({ ...options, confirmations }, world);
    expect(seen.looks).toBe(confirmations);
  });

  test.each([
    ["no answer", none()],
    ["syncing again", answer(1, 1000, 1001)],
    ["too few peers", answer(3, 1000, 0)],
    ["an old momentum", answer(2, 1000, 1000, { newestAge: hour })],
  ])("one bad look begins the row anew: %s", async (_what, bad) => {
    const { world, seen } = worldOf([good, good, bad, good, good, good]);
    await waitForSync(options, world);
    expect(seen.looks).toBe(6);
  });

  test("the record is of the last look, and of the first height", async () => {
    const { world } = worldOf([none(), answer(1, 10, 900), answer(1, 500, 950), good]);
    expect(await waitForSync({ ...options, confirmations: 1 }, world)).toMatchObject({
      currentHeight: 1000,
      startHeight: 10,
    });
  });

  test("a wait that is resumed keeps its first time and height", async () => {
    const { world, seen } = worldOf([good]);
    seen.clock = 5 * hour;
    const record = await waitForSync({ ...options, confirmations: 1, startedAt: hour, startHeight: 7 }, world);
    expect(record).toMatchObject({ startedAt: hour, startHeight: 7, syncedAt: 5 * hour });
  });
});

describe("pauses", () => {
  test("10 s without an answer, 2 s after the first, then a fiftieth of what is left", async () => {
    // 202 momentums in 2 s are 101 a second; the target runs ahead at 0.1: (100892 - 202) / 100.9 = 997.9 s left.
    const { world, seen } = worldOf([none(), answer(1, 0, 100_892), answer(1, 202, 100_892), good]);
    await waitForSync({ ...options, confirmations: 1 }, world);
    expect(seen.sleeps).toEqual([10_000, 2000, 19_958]);
  });
});

describe("what is said", () => {
  test("nothing twice, but at least every ten minutes", async () => {
    const { world, seen } = worldOf([none("refused")]);
    await giveUp(waitForSync({ ...options, deadline: 30 * minute }, world));
    expect(seen.looks).toBe(181);
    expect(seen.lines).toEqual(Array(4).fill("sync: no answer from the node yet: refused"));
  });

  test("a new reason, a new state, each twentieth of the way", async () => {
    const looks = [none("a"), none("a"), none("b"), answer(1, 10, 1000), answer(1, 49, 1000), answer(1, 50, 1000)];
    const { world, seen } = worldOf([...looks, answer(3, 50, 1000), answer(3, 50, 1000), good]);
    await waitForSync({ ...options, confirmations: 1 }, world);
    expect(seen.lines.map((line) => line.split(", ")[0])).toEqual([
      "sync: no answer from the node yet: a",
      "sync: no answer from the node yet: b",
      "sync: 1.0 %",
      "sync: 5.0 %",
      "sync: 5.0 %",
      "sync: 100.0 %",
    ]);
  });

  // The state is 2 all the time: what changed is the reason.
  test("another reason at the same state", async () => {
    const old = answer(2, 1000, 1000, { newestAge: hour });
    const { world, seen } = worldOf([answer(2, 1000, 999), old, old, good]);
    await waitForSync({ ...options, confirmations: 1 }, world);
    expect(seen.lines.map((line) => line.split(", ").slice(2).join(", "))).toEqual([
      "the node says synced with a target of 999, and does not tell its newest momentum",
      "the node says synced, but its newest momentum is 3600 s old",
      "synced, newest momentum 3 s old (1 of 1 looks)",
    ]);
  });
});

describe("the deadline", () => {
  test("ends it with where it stood and what to do, and keeps the start", async () => {
    const { world, seen } = worldOf([answer(1, 10, 1000)]);
    const error = await giveUp(waitForSync({ ...options, deadline: 2 * hour }, world));
    expect(error.message).toBe(
      "203.0.113.7: the node has not synced within 2 h 00 min (pillar-host:sync.deadline)\n" +
        "  last seen: sync: 1.0 %, height 10 of 1000\n" +
        "  Nothing is lost: run pulumi up again to go on waiting, with a longer sync.deadline.\n" +
        "  Look at the host first if the height does not move: systemctl status go-node, free disk, memory, port 35995.",
    );
    expect(error.gaveUp).toEqual({ startHeight: 10, last: answer(1, 10, 1000) });
    expect(seen.clock).toBeGreaterThanOrEqual(2 * hour);
    expect(seen.clock).toBeLessThan(2 * hour + 11_000);
  });

  test("a node that never answered: no start height, its reason in the error", async () => {
    const { world } = worldOf([none("refused")]);
    const error = await giveUp(waitForSync({ ...options, deadline: minute }, world));
    expect(error.message).toContain("\n  last seen: sync: no answer from the node yet: refused\n");
    expect(error.gaveUp).toEqual({ startHeight: undefined, last: none("refused") });
  });

  test("counts from the first start, not from this run's", async () => {
    const { world, seen } = worldOf([answer(1, 10, 1000)]);
    seen.clock = 3 * hour;
    const error = await giveUp(waitForSync({ ...options, deadline: 2 * hour, startHeight: 4 }, world));
    expect(seen.looks).toBe(1);
    expect(error.gaveUp.startHeight).toBe(4);
  });

  test("a good row that is complete at the deadline is synced", async () => {
    const { world } = worldOf([good]);
    expect(await waitForSync({ ...options, deadline: 4000 }, world)).toMatchObject({ syncedAt: 4000 });
  });
});

test("nobody wants the answer any more: it ends, and keeps what it saw", async () => {
  const { world, seen } = worldOf([answer(1, 10, 1000)], (looks) => looks < 3);
  const error = await giveUp(waitForSync(options, world));
  expect(error.message).toBe("the engine that waited for the sync is gone");
  expect(error.gaveUp.startHeight).toBe(10);
  expect(seen.looks).toBe(3);
});

test("what trying again can't mend passes through at once", async () => {
  const error = fatal("another host key");
  const { world, seen } = worldOf([none(), error]);
  await expect(waitForSync(options, world)).rejects.toBe(error);
  expect(seen.looks).toBe(2);
});
