import { describe, expect, test } from "vitest";
import type { Observation } from "../../../core/chain/node";
import type { VersionGap } from "../../../core/chain/requiredVersions";
import { parseNodeHostFacts } from "../../../core/ssh/hostFacts";
import { createFatalError } from "../../../core/ssh/sshErrors";
import { chainGap } from "../../../core/sync/decideSynced";
import type { GateMessage } from "../../../core/sync/progress";
import type { ReferenceAnswers } from "../../../core/sync/references";
import { formatGateLine } from "../../../core/sync/syncMessages";
import { type GiveUpError, type WaitOptions, waitForSync } from "../../../core/sync/waitForSync";
import { atHeight, seenFrom } from "../chain/readings";
import { answer, hour, nodeTime, none } from "./looks";

const good = answer(2, 1000, 1000, { newestAge: 3000 });
const minute = 60_000;
const since = "since 2026-01-01 23:00 UTC";

/**
 * Creates a world in which only sleeps take time; lookups return the list in turn and repeat its last item. The wall
 * clock is each lookup's own time, so that a momentum keeps its given age.
 */
function worldOf(
  found: readonly (Observation | Error)[],
  references: ReferenceAnswers = { readings: [] },
  goneAfterLooks = Number.POSITIVE_INFINITY,
) {
  const engine = new AbortController();
  const seen = {
    sleeps: [] as number[],
    lines: [] as string[],
    notices: [] as string[],
    looks: 0,
    asked: 0,
    ticks: 5e8,
    clock: nodeTime,
  };
  const deps = {
    client: {
      observe: async () => {
        const next = found[Math.min(seen.looks, found.length - 1)];
        seen.looks += 1;
        if (seen.looks >= goneAfterLooks) engine.abort();
        if (next === undefined) throw new Error("nothing to see");
        if (next instanceof Error) throw next;
        return next;
      },
      close: () => undefined,
    },
    readReferences: async () => {
      seen.asked += 1;
      return references;
    },
    now: () => seen.clock,
    ticks: () => seen.ticks,
    sleep: async (milliseconds: number) => {
      seen.sleeps.push(milliseconds);
      seen.ticks += milliseconds;
    },
    say: (news: GateMessage) => {
      seen.lines.push(formatGateLine(news));
    },
    notify: (event: string, text: string) => {
      seen.notices.push(`${event}: ${text}`);
    },
    readFacts: async () => parseNodeHostFacts(["disk.at=/root", "disk.size=2000000", "disk.free=0", "log=panic"]),
    signal: engine.signal,
  };
  return { deps, seen };
}

const options: WaitOptions = {
  confirmations: 3,
  confirmSpan: 0,
  tolerance: 20,
  // Witnesses of the chain have a file of their own: witnesses.test.ts.
  isChainUnverified: true,
  deadline: 7 * 24 * hour,
  stallAfter: 15 * minute,
  wait: "block",
  startedAt: nodeTime - hour,
  address: "203.0.113.7",
  service: "go-node",
  stack: "prod",
};

const help =
  "  Nothing is lost. To go on waiting, from the same start: pulumi up -s prod\n" +
  "  Watch the sync live: ./pillar-host status prod --watch; on the host: systemctl status go-node";

const giveUp = (waiting: Promise<unknown>) =>
  waiting.then(
    () => {
      throw new Error("it did not give up");
    },
    (error: GiveUpError) => error,
  );

describe("a node that lacks a required version", () => {
  const gap: VersionGap = {
    fromHeight: 1000,
    leastVersion: "v0.0.10",
    why: "the window",
    release: "https://r.example",
    found: "v0.0.8",
  };
  const install =
    "install v0.0.10 or newer from https://r.example: set pillar-host:node.release to its url, sha256 and version (docs/chain.md)";
  const said = "the node is v0.0.8; v0.0.10 or newer is required from height 1000 on (the window)";
  const versionsOf = (found: readonly (readonly VersionGap[])[]) => {
    const asked: number[] = [];
    const readVersionGaps = async (height: number) => {
      asked.push(height);
      return found[Math.min(asked.length, found.length) - 1] ?? [];
    };
    return { asked, readVersionGaps };
  };

  test("passes only after its upgrade, and its version is read only before a proof", async () => {
    const { deps, seen } = worldOf([answer(1, 10, 1000), good, good, good, good, none(), good]);
    const { asked, readVersionGaps } = versionsOf([[gap], [gap], []]);
    expect(await waitForSync(options, { ...deps, readVersionGaps })).toMatchObject({ currentHeight: 1000 });
    expect(asked).toEqual([1000, 1000, 1000]);
    expect(seen.looks).toBe(9);
    // The streak stays: the same words are not said at every look.
    expect(seen.lines.filter((line) => line.includes("v0.0.8"))).toEqual([
      `sync: height 1000 of 1000, 165 momentums/s, ${since}, ${said}: ${install}`,
    ]);
  });

  test("names the release to install at the end of a check and at the deadline", async () => {
    const { deps } = worldOf([good]);
    const { readVersionGaps } = versionsOf([[gap]]);
    for (const more of [{ wait: "check" as const, confirmations: 1 }, { deadline: minute }]) {
      const { message } = await giveUp(waitForSync({ ...options, ...more }, { ...deps, readVersionGaps }));
      expect(message).toContain(
        `\n  found: ${said}\n  needed: ${install}, then pulumi up -s prod\n  Is the requirement out of date? It is in core/chain/requiredVersions.json\n${help}`,
      );
    }
  });
});

describe("a synced node", () => {
  test("passes after the configured number of good lookups, 2 s apart", async () => {
    const { deps, seen } = worldOf([good]);
    expect(await waitForSync(options, deps)).toEqual({
      state: 2,
      currentHeight: 1000,
      targetHeight: 1000,
      startHeight: 1000,
      startedAt: new Date(nodeTime - hour).toISOString(),
      syncedAt: new Date(nodeTime).toISOString(),
      proved: ["height 1000 reached target 1000", "newest momentum is fresh by both clocks"],
      unproved: ["height agrees with independent nodes (sync.references)", chainGap],
    });
    expect(seen.sleeps).toEqual([2000, 2000]);
    expect(seen.lines).toEqual(
      [1, 2, 3].map((n) => `sync: 100.0 %, height 1000 of 1000, synced, newest momentum 3 s old (${n} of 3 lookups)`),
    );
  });

  test.each([1, 5])("passes after %i lookups if so many are configured", async (confirmations) => {
    const { deps, seen } = worldOf([good]);
    await waitForSync({ ...options, confirmations }, deps);
    expect(seen.looks).toBe(confirmations);
  });

  test("restarts the streak after a bad lookup", async () => {
    const { deps, seen } = worldOf([good, good, none(), good, good, good]);
    await waitForSync(options, deps);
    expect(seen.looks).toBe(6);
  });

  test("has the last lookup and the first height in its proof", async () => {
    const { deps } = worldOf([none(), answer(1, 10, 900), answer(1, 500, 950), good]);
    expect(await waitForSync({ ...options, confirmations: 1 }, deps)).toMatchObject({
      currentHeight: 1000,
      startHeight: 10,
    });
  });

  test("keeps the first time and height of a resumed wait", async () => {
    const { deps, seen } = worldOf([good]);
    const record = await waitForSync({ ...options, confirmations: 1, startedAt: hour, startHeight: 7 }, deps);
    expect(record).toMatchObject({
      startedAt: new Date(hour).toISOString(),
      startHeight: 7,
      syncedAt: new Date(nodeTime).toISOString(),
    });
    expect(seen.looks).toBe(1);
  });

  test("restarts the streak after a jump of the wall clock", async () => {
    const { deps, seen } = worldOf([good]);
    seen.clock = nodeTime - 30_000;
    deps.sleep = async (milliseconds) => {
      seen.sleeps.push(milliseconds);
      seen.ticks += milliseconds;
      if (seen.sleeps.length === 2) seen.clock += 70_000;
    };
    await waitForSync(options, deps);
    expect(seen.looks).toBe(5);
  });

  test("asks references only while the node says that it is synced", async () => {
    const { deps, seen } = worldOf([none(), answer(1, 10, 900), answer(3, 10, 0), good]);
    await waitForSync(options, deps);
    expect({ looks: seen.looks, asked: seen.asked }).toEqual({ looks: 6, asked: 3 });
  });
});

test("never passes a node on a fork, and says what to do", async () => {
  const refs = [1, 2].map((n) => atHeight(`r${n}`, 1000));
  const { deps } = worldOf([good], seenFrom(1000, refs, { own: "f" }));
  const text = await waitForSync({ ...options, deadline: 7 * 24 * hour }, deps).catch((error: Error) => error.message);
  expect(text).toContain("the node has not synced within 7 d");
  expect(text).toContain("its momentum 1000 is f1000, that of r1 is h1000 (so say 2 of them)");
  expect(text).toContain("needed: if the node stays on a fork");
});

describe("poll intervals", () => {
  test("grow while nothing answers, and start again after an answer", async () => {
    const looks = [none(), none(), none(), none(), answer(1, 10, 1000), none(), none(), good];
    const { deps, seen } = worldOf(looks);
    await waitForSync({ ...options, confirmations: 1 }, deps);
    expect(seen.sleeps).toEqual([2000, 4000, 5000, 5000, 2000, 2000, 4000]);
  });

  test("are 2 s after the first lookup, then a fiftieth of the time left", async () => {
    // 202 momentums in 2 s are 101 a second; the target runs ahead at 1 in 11.4 s: (100892 - 202) / 100.91 = 997.8 s left.
    const { deps, seen } = worldOf([none(), answer(1, 0, 100_892), answer(1, 202, 100_892), good]);
    await waitForSync({ ...options, confirmations: 1 }, deps);
    expect(seen.sleeps).toEqual([2000, 2000, 19_956]);
  });
});

describe("progress messages", () => {
  test("repeat only after ten minutes", async () => {
    const { deps, seen } = worldOf([none("refused")]);
    await giveUp(waitForSync({ ...options, deadline: 30 * minute, stallAfter: hour }, deps));
    // 2 and 4 s, then each 5 s, and the last just at the deadline; said again after 10 minutes each.
    expect(seen.looks).toBe(362);
    expect(seen.lines).toEqual(Array(3).fill("sync: no answer from the node yet: refused"));
  });

  test("follow a new reason, a new state, and each twentieth of the sync", async () => {
    const looks = [none("a"), none("a"), none("b"), answer(1, 10, 1000), answer(1, 49, 1000), answer(1, 50, 1000)];
    const { deps, seen } = worldOf([...looks, answer(3, 50, 1000), answer(3, 50, 1000), good]);
    await waitForSync({ ...options, confirmations: 1 }, deps);
    expect(seen.lines.map((line) => line.split(", ")[0])).toEqual([
      "sync: no answer from the node yet: a",
      "sync: no answer from the node yet: b",
      "sync: 1.0 %",
      "sync: 5.0 %",
      "sync: 5.0 %",
      "sync: 100.0 %",
    ]);
  });

  test("report a connection that had ended", async () => {
    const again = { ...answer(1, 60, 1000), isReconnected: true } as Observation;
    const { deps, seen } = worldOf([answer(1, 10, 1000), again, good]);
    await waitForSync({ ...options, confirmations: 1 }, deps);
    expect(seen.lines).toContain("sync: the ssh connection to 203.0.113.7 had ended, and was made anew");
    // The time in between is nobody's rate: the host may have been down.
    expect(seen.lines.join()).not.toContain("momentums/s");
  });

  // The state is 2 all the time: what changed is the reason.
  test("follow another reason in the same state", async () => {
    const old = answer(2, 1000, 1000, { newestAge: hour });
    const { deps, seen } = worldOf([answer(2, 1000, 999), old, old, good]);
    await waitForSync({ ...options, confirmations: 1 }, deps);
    expect(
      seen.lines.map((line) => line.replace(`${since}, `, "").replace("100.0 %, ", "").split(", ").slice(1).join(", ")),
    ).toEqual([
      "the node says synced with a target of 999, and does not return its newest momentum",
      "the node says synced, but its newest momentum is 3600 s old",
      "synced, newest momentum 3 s old (1 of 1 lookups)",
    ]);
  });
});

describe("the deadline", () => {
  test("ends the wait with the progress and the next command, and keeps the start", async () => {
    const { deps, seen } = worldOf([answer(1, 10, 1000)]);
    const begun = seen.ticks;
    const error = await giveUp(waitForSync({ ...options, deadline: 2 * hour }, deps));
    expect(error.message).toBe(
      "203.0.113.7: the node has not synced within 2 h 00 min (pillar-host:sync.deadline)\n" +
        `  found: 1.0 %, height 10 of 1000, ${since}\n` +
        "  needed: find out why the height does not advance: the facts above were read when the stall began\n" +
        help,
    );
    expect(error.gaveUp).toEqual({ startHeight: 10, last: answer(1, 10, 1000) });
    expect(seen.ticks - begun).toBe(2 * hour);
    expect(seen.notices.at(-1)).toBe(
      "deadline: the node has not synced within 2 h 00 min (pillar-host:sync.deadline); to go on waiting: pulumi up -s prod",
    );
  });

  test("keeps no start height of a node that never answered", async () => {
    const { deps } = worldOf([none("refused")]);
    const error = await giveUp(waitForSync({ ...options, deadline: minute }, deps));
    expect(error.message).toContain("\n  found: no answer from the node yet: refused\n");
    expect(error.gaveUp).toEqual({ startHeight: undefined, last: none("refused") });
  });

  test("counts the wait of this run by a monotonic clock", async () => {
    const { deps, seen } = worldOf([answer(1, 10, 1000)]);
    const begun = seen.ticks;
    deps.now = () => nodeTime + (seen.looks % 2) * 300 * hour;
    const error = await giveUp(waitForSync({ ...options, deadline: 2 * hour, startedAt: 0, startHeight: 4 }, deps));
    expect(seen.ticks - begun).toBe(2 * hour);
    expect(error.gaveUp.startHeight).toBe(4);
  });

  test("passes a streak that is complete at the deadline", async () => {
    const { deps, seen } = worldOf([good]);
    expect(await waitForSync({ ...options, deadline: 4000 }, deps)).toMatchObject({
      syncedAt: new Date(nodeTime).toISOString(),
    });
    expect(seen.sleeps).toEqual([2000, 2000]);
  });
});

describe("a stall", () => {
  const stand = (height: number, looks: number) => Array<Observation>(looks).fill(answer(1, height, 1000));
  const stalled = (what: string) => [
    `sync: stalled: ${what} for 15 min. The wait goes on. On 203.0.113.7:`,
    "  disk: 0.0 of 2.0 GB free at /root. Nearly full: the node stops without room",
    "  log: panic",
    "sync: a node that was killed, for example by a power cut, may stall on a torn database. If nothing above explains the stall: choose Resync in the controller's menu on the host, or copy the chain of a synced old host with pillar-host:sync.from: oldHost",
  ];

  test("is reported once with the host's facts, and its end, also by notification", async () => {
    const { deps, seen } = worldOf([...stand(10, 200), none(), ...stand(11, 2), ...stand(12, 200), good]);
    await waitForSync({ ...options, confirmations: 1 }, deps);
    expect(seen.lines.filter((line) => /stall|^ {2}|torn/.test(line))).toEqual([
      ...stalled("the height has been 10"),
      "sync: the stall is over, height 11",
      ...stalled("the height has been 12"),
      "sync: the stall is over, height 1000",
    ]);
    expect(seen.notices).toEqual([
      "stalled: the height has been 10 for 15 min",
      "over: the stall is over, height 11",
      "stalled: the height has been 12 for 15 min",
      "over: the stall is over, height 1000",
      "synced: synced at height 1000",
    ]);
  });

  test("is reported of a node that never answered", async () => {
    const { deps, seen } = worldOf([none()]);
    await giveUp(waitForSync({ ...options, deadline: hour }, deps));
    expect(seen.lines.filter((line) => /stall|^ {2}|torn/.test(line))).toEqual(
      stalled("the node has not returned its height"),
    );
  });
});

describe("check", () => {
  const check: WaitOptions = { ...options, wait: "check" };

  test.each([
    ["no answer", none("refused"), "no answer from the node yet: refused"],
    ["syncing", answer(1, 10, 1000), `1.0 %, height 10 of 1000, ${since}`],
  ])("ends after one bad lookup: %s", async (_what, look, line) => {
    const { deps, seen } = worldOf([look]);
    const error = await giveUp(waitForSync(check, deps));
    expect(error.message).toBe(
      `203.0.113.7: the node is not synced yet (pillar-host:sync.wait is check)\n  found: ${line}\n${help}`,
    );
    expect(error.gaveUp.last).toEqual(look);
    expect({ looks: seen.looks, sleeps: seen.sleeps }).toEqual({ looks: 1, sleeps: [] });
  });

  test("continues good lookups to the end of the streak", async () => {
    const { deps, seen } = worldOf([good]);
    expect(await waitForSync(check, deps)).toMatchObject({ currentHeight: 1000 });
    expect(seen.looks).toBe(3);
  });

  test.each([
    ["in the state of syncing", answer(1, 999, 1000)],
    ["one momentum below its target", answer(2, 999, 1000)],
  ])("repeats the lookup of a node %s, which may be adding a momentum", async (_what, look) => {
    const { deps, seen } = worldOf([look, look, good]);
    expect(await waitForSync(check, deps)).toMatchObject({ currentHeight: 1000 });
    expect(seen.sleeps.slice(0, 2)).toEqual([1500, 1500]);
  });

  test("does not pass a node that stays so", async () => {
    const { deps, seen } = worldOf([answer(1, 999, 1000)]);
    expect((await giveUp(waitForSync(check, deps))).message).toContain("is not synced yet");
    expect(seen.sleeps).toEqual([1500, 1500]);
  });

  test("ends at the first bad lookup", async () => {
    const { deps, seen } = worldOf([good, good, none(), good]);
    expect((await giveUp(waitForSync(check, deps))).gaveUp).toEqual({ startHeight: 1000, last: none() });
    expect(seen.looks).toBe(3);
  });
});

describe("await", () => {
  const wait: WaitOptions = { ...options, wait: "await" };

  test.each([
    ["no answer", none("refused"), "no answer from the node yet: refused"],
    ["syncing", answer(1, 10, 1000), `1.0 %, height 10 of 1000, ${since}`],
  ])("ends as awaiting after one bad lookup: %s", async (_what, look, line) => {
    const { deps, seen } = worldOf([look]);
    const error = await giveUp(waitForSync(wait, deps));
    expect(error.message).toBe(
      `203.0.113.7: the node is not synced yet (pillar-host:sync.wait is await)\n  found: ${line}\n${help}`,
    );
    expect(error.isAwaiting).toBe(true);
    expect({ looks: seen.looks, sleeps: seen.sleeps }).toEqual({ looks: 1, sleeps: [] });
  });

  test("estimates the time left from the start of an earlier run", async () => {
    const { deps } = worldOf([answer(1, 5000, 10_000)]);
    const { message } = await giveUp(waitForSync({ ...wait, startHeight: 1400 }, deps));
    expect(message).toContain(`50.0 %, height 5000 of 10000, 1.0 momentums/s, about 1 h 31 min left, ${since}`);
  });

  test("proves the sync within a run", async () => {
    const { deps, seen } = worldOf([good]);
    expect(await waitForSync(wait, deps)).toMatchObject({ currentHeight: 1000 });
    expect(seen.looks).toBe(3);
  });

  test("fails if waiting alone does not help", async () => {
    const { deps } = worldOf([good]);
    const error = await giveUp(waitForSync({ ...wait, isChainUnverified: undefined }, deps));
    expect(error.message).toContain("no witness confirms its chain yet");
    expect(error.isAwaiting).toBe(false);
  });

  test("fails if the host refuses the login", async () => {
    const { deps } = worldOf([createFatalError("refused")]);
    expect((await giveUp(waitForSync(wait, deps))).isAwaiting).toBeUndefined();
  });
});

test("ends if the engine is gone, and keeps its progress", async () => {
  const { deps, seen } = worldOf([answer(1, 10, 1000)], undefined, 3);
  const error = await giveUp(waitForSync(options, deps));
  expect(error.message).toContain("203.0.113.7: the node is no longer watched: pulumi has ended\n");
  expect(error.gaveUp.startHeight).toBe(10);
  expect(seen.looks).toBe(3);
});

test("throws a fatal error at once", async () => {
  const error = createFatalError("another host key");
  const { deps, seen } = worldOf([none(), error]);
  await expect(waitForSync(options, deps)).rejects.toBe(error);
  expect(seen.looks).toBe(2);
});
