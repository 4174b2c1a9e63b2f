import { describe, expect, test } from "vitest";
import type { Observation } from "../../../core/chain/node.ts";
import type { VersionGap } from "../../../core/chain/requiredVersions.ts";
import { chainGap } from "../../../core/sync/decideSynced.ts";
import type { WitnessAnswers } from "../../../core/sync/judgeWitnesses.ts";
import { type SyncDeps, type WaitOptions, waitForSync } from "../../../core/sync/waitForSync.ts";
import { hasKind, ProblemError } from "../../../core/util/problem.ts";
import { atHeight, seenFrom } from "../chain/readings.ts";
import { parseWhole } from "../host/printedFacts.ts";
import { answer, hour, nodeTime, none } from "./looks.ts";

const good = answer(2, 1000, 1000, { newestAge: 3000 });
const minute = 60_000;
const since = "since 2026-01-01 23:00 UTC";

/**
 * Creates a world in which only sleeps take time; lookups return the list in turn and repeat its last item. The wall
 * clock is each lookup's own time, so that a momentum keeps its given age.
 */
function worldOf(found: readonly (Observation | Error)[], references: WitnessAnswers = { readings: [] }) {
  const engine = new AbortController();
  const [sleeps, lines, notices]: [number[], string[], string[]] = [[], [], []];
  const seen = { sleeps, lines, notices, looks: 0, asked: 0, ticks: 5e8 };
  const deps: SyncDeps = {
    client: {
      observe: async () => {
        const next = found[Math.min(seen.looks, found.length - 1)] ?? none();
        seen.looks += 1;
        if (next instanceof Error) throw next;
        return next;
      },
    },
    readWitnesses: async () => {
      seen.asked += 1;
      return references;
    },
    readVersionGaps: async () => [],
    now: () => nodeTime,
    ticks: () => seen.ticks,
    sleep: async (milliseconds: number) => {
      seen.sleeps.push(milliseconds);
      seen.ticks += milliseconds;
    },
    say: (line) => void seen.lines.push(line),
    notify: (event, text) => void seen.notices.push(`${event}: ${text}`),
    readFacts: async () =>
      parseWhole(["disk", "log"], ["disk.at=/root", "disk.size=2000000", "disk.free=0", "log=panic"]),
    signal: engine.signal,
  };
  return { deps, seen, engine };
}

const options: WaitOptions = {
  confirmations: 3,
  confirmSpan: 0,
  tolerance: 20,
  isChainUnverified: true,
  deadline: 7 * 24 * hour,
  stallAfter: 15 * minute,
  wait: "block",
  startedAt: nodeTime - hour,
  ssh: { address: "203.0.113.7", user: "root", port: 22 },
  service: "go-node",
  dataDir: "/root/.znn",
  stack: "prod",
};

const help =
  "  Nothing is lost. To go on waiting, from the same start: pulumi up -s prod\n" +
  "  Watch the sync live: ./pillar-host status prod --watch; on the host: systemctl status go-node";

const awaitingHelp = help.replace("Nothing is lost. ", "");

const giveUp = (waiting: Promise<unknown>): Promise<Error> =>
  waiting.then(() => Promise.reject(new Error("it did not give up"))).catch((error: Error) => error);

const release = "https://r.example";
const gap: VersionGap = {
  fromHeight: 1000,
  leastVersion: "v0.0.10",
  why: "the window",
  release,
  found: "v0.0.8",
  isSure: true,
};
const install = `install v0.0.10 or newer from ${release}: set pillar-host:node.release to its url, sha256 and version (docs/chain.md)`;
const said = "the node is v0.0.8; v0.0.10 or newer is required from height 1000 on (the window)";

test("a node that is too old is refused at its first answer, with the release to set, and is not waited for", async () => {
  const { deps, seen } = worldOf([none(), answer(1, 1, 0), good]);
  const asked: number[] = [];
  const readVersionGaps = async (height: number) => {
    asked.push(height);
    return [gap];
  };
  const refused = await giveUp(waitForSync({ ...options, wait: "await" }, { ...deps, readVersionGaps })).catch(
    () => undefined,
  );
  expect(refused?.message).toContain("is not synced yet");
  const error = await giveUp(waitForSync(options, { ...deps, readVersionGaps }));
  expect(error.message).toBe(
    `203.0.113.7: the node is too old for the network: its sync is not waited for\n  found: height 1 of an unknown target, ${since}, ${said}: ${install}\n  found: ${said}\n  needed: ${install}, then pulumi up -s prod\n  Is the requirement out of date? It is in core/chain/requiredVersions.json\n${help}`,
  );
  expect(hasKind(error, "gaveUp")).toBe(true);
  // It may reach any height, so no row of the table is too far away to count.
  expect([asked, seen.looks]).toEqual([[Number.POSITIVE_INFINITY], 2]);
  expect(seen.notices).toEqual([`tooOld: ${said}: ${install}`]);
});

test("a version that is not known yet, or of an unknown network, is said while the node syncs and asked for again", async () => {
  const unknown: VersionGap = { ...gap, found: undefined, isSure: false };
  const syncing = answer(1, 10, 1000);
  const { deps, seen } = worldOf([syncing, syncing, syncing, good]);
  const answers = [[unknown], [{ ...gap, isSure: false }]];
  const readVersionGaps = async () => answers.shift() ?? [];
  expect(await waitForSync(options, { ...deps, readVersionGaps })).toMatchObject({ currentHeight: 1000 });
  const unreported = said.replace("is v0.0.8", "does not report its version");
  expect(seen.lines[0]).toBe(`sync: 1.0 %, height 10 of 1000, ${since}, ${unreported}: ${install}`);
  // It is not refused, and is asked again at each lookup.
  expect([answers.length, seen.looks]).toEqual([0, 6]);
});

test("a version is asked for once an hour, and a gap that appears meanwhile is said and sent at once", async () => {
  const { deps, seen } = worldOf([answer(1, 10, 1000)]);
  const asked: number[] = [];
  const readVersionGaps = async () => (asked.push(seen.ticks - 5e8) > 2 ? [gap] : []);
  const options2 = { ...options, deadline: 3 * hour };
  expect((await giveUp(waitForSync(options2, { ...deps, readVersionGaps }))).message).toContain(
    `\n  needed: ${install}, then`,
  );
  expect(asked.slice(0, 3)).toEqual([0, hour, 2 * hour]);
  expect(seen.notices.filter((notice) => notice.startsWith("tooOld"))).toEqual([`tooOld: ${said}: ${install}`]);
  expect(seen.lines).toContain(`sync: 1.0 %, height 10 of 1000, ${since}, ${said}: ${install}`);
});

test("a version that became too old during the wait ends no wait, and the node passes only after its upgrade", async () => {
  const { deps, seen } = worldOf([answer(1, 10, 1000), good, good, good, good, none(), good]);
  let asked = 0;
  const readVersionGaps = async () => ([2, 3].includes(++asked) ? [gap] : []);
  expect(await waitForSync(options, { ...deps, readVersionGaps })).toMatchObject({ currentHeight: 1000 });
  // The streak stays, and the version is asked for again before the proof.
  expect(seen.looks).toBe(5);
  expect(seen.lines.filter((line) => line.includes("v0.0.8"))).toEqual([
    `sync: height 1000 of 1000, 110 momentums/s, ${since}, ${said}: ${install}`,
  ]);
});

test("a node without a required version names the release to install at the end of a check and at the deadline", async () => {
  const { deps } = worldOf([good]);
  for (const more of [{ wait: "check" as const, confirmations: 1 }, { deadline: minute }]) {
    const waiting = waitForSync({ ...options, ...more }, { ...deps, readVersionGaps: async () => [gap] });
    expect((await giveUp(waiting)).message).toContain(
      `\n  found: ${said}\n  needed: ${install}, then pulumi up -s prod\n  Is the requirement out of date? It is in core/chain/requiredVersions.json\n${help}`,
    );
  }
});

test("a synced node passes after the configured number of good lookups, 2 s apart", async () => {
  const { deps, seen } = worldOf([good]);
  expect(await waitForSync({ ...options, deadline: 4000 }, deps)).toEqual({
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
  expect(seen.notices).toEqual(["synced: synced at height 1000"]);
});

test("a synced node restarts the streak after a bad lookup, and keeps the first height", async () => {
  const { deps, seen } = worldOf([none(), answer(1, 10, 900), good, good, none(), good, good, good]);
  expect(await waitForSync(options, deps)).toMatchObject({ currentHeight: 1000, startHeight: 10 });
  // References are asked only while the node says that it is synced.
  expect([seen.looks, seen.asked]).toEqual([8, 5]);
});

const two = (height: number) => [atHeight("r1", height), atHeight("r2", height)];
test("says which witness says what about the chain, and advises no resync, if the witnesses disagree", async () => {
  const { deps } = worldOf([good], seenFrom(1000, [atHeight("r1", 1000), atHeight("r2", 1000, 3000, "f")]));
  const { message } = await giveUp(waitForSync({ ...options, deadline: hour }, deps));
  expect(message).toContain(
    "the witnesses disagree on the node's chain: its momentum 1000 is h1000, that of r2 is f1000",
  );
  expect(message).toContain("found: r1 has the node's momentum 1000");
  expect(message).toContain("if witnesses disagree, add a reference: the majority decides");
  expect(message).not.toContain("sync again");
});

test.each([
  ["on a fork", seenFrom(1000, two(1000), { own: "f" }), "only if the node's is wrong, sync again: ssh root@"],
  ["at another height than references", seenFrom(1000, two(2000)), "needed: if a reference is wrong"],
])("never passes a node %s, and says what to do", async (_what, references, words) => {
  const { deps } = worldOf([good], references);
  const { message } = await giveUp(waitForSync({ ...options, deadline: hour }, deps));
  expect(message).toContain("the node has not synced within 1 h 00 min");
  expect(message).toContain(words);
});

test("asks again after 5 s, and after 2 s near the target and after a good lookup", async () => {
  const looks = [none(), none(), answer(1, 10, 1000), answer(1, 980, 1000), good];
  const { deps, seen } = worldOf(looks);
  await waitForSync({ ...options, confirmations: 2 }, deps);
  expect(seen.sleeps).toEqual([5000, 5000, 5000, 2000, 2000]);
});

test("progress messages repeat only after ten minutes", async () => {
  const { deps, seen } = worldOf([none("refused")]);
  await giveUp(waitForSync({ ...options, deadline: 29 * minute, stallAfter: hour }, deps));
  expect(seen.looks).toBe(349);
  expect(seen.lines).toEqual(Array(3).fill("sync: no answer from the node yet: refused"));
});

test("progress messages follow a new reason, a new state, and each twentieth of the sync", async () => {
  const looks = [none("a"), none("a"), none("b"), answer(1, 10, 1000), answer(1, 49, 1000), answer(1, 50, 1000)];
  const old = answer(2, 1000, 1000, { newestAge: hour });
  const lonely = answer(3, 50, 1000);
  const { deps, seen } = worldOf([...looks, lonely, lonely, answer(2, 50, 1000), old, old, good]);
  await waitForSync({ ...options, confirmations: 1 }, deps);
  expect(seen.lines.map((line) => line.split(", ")[0])).toEqual([
    "sync: no answer from the node yet: a",
    "sync: no answer from the node yet: b",
    "sync: 1.0 %",
    ...Array<string>(3).fill("sync: 5.0 %"),
    "sync: height 1000 of 1000",
    "sync: 100.0 %",
  ]);
});

test("progress messages come hourly after the first hour, and beside the gate at most one a minute", async () => {
  const day = 17_280;
  const looks = Array.from({ length: day }, (_, lookup) => answer(1, lookup * 10, day * 20));
  const { deps, seen } = worldOf([none(), ...looks, good]);
  const shown: { at: number; line: string }[] = [];
  const show = (line: string) => void shown.push({ at: seen.ticks, line });
  await waitForSync({ ...options, confirmations: 1 }, { ...deps, show });
  // In the first hour every ten minutes, as no twentieth passes.
  expect(seen.lines.length).toBe(1 + 6 + 23 + 1);
  expect(shown.slice(0, 3).map(({ line }) => line)).toEqual(["no answer", "0 %", "0 %, 2d02h left"]);
  expect(shown.length).toBeLessThan(150);
  const gaps = shown.slice(1).map(({ at }, index) => at - (shown[index]?.at ?? 0));
  expect(gaps[0]).toBe(5000);
  expect(Math.min(...gaps.slice(1))).toBeGreaterThanOrEqual(minute);
});

test("progress messages report a connection that had ended, and take no rate from the time in between", async () => {
  const again = { ...answer(1, 60, 1000), isReconnected: true } as Observation;
  const { deps, seen } = worldOf([answer(1, 10, 1000), again, none(), answer(1, 600, 1000), good]);
  await waitForSync({ ...options, confirmations: 1 }, deps);
  expect(seen.lines).toContain("sync: the ssh connection to 203.0.113.7 had ended, and was made anew");
  expect(seen.lines.join()).not.toContain("momentums/s");
});

test("the deadline ends the wait with the progress and the next command", async () => {
  const { deps, seen } = worldOf([answer(1, 10, 1000)]);
  const begun = seen.ticks;
  // The wall clock may jump.
  deps.now = () => nodeTime + (seen.looks % 2) * 300 * hour;
  const { message } = await giveUp(waitForSync({ ...options, deadline: 2 * hour }, deps));
  expect(message).toBe(
    "203.0.113.7: the node has not synced within 2 h 00 min (pillar-host:sync.deadline)\n" +
      `  found: 1.0 %, height 10 of 1000, ${since}\n` +
      "  needed: find out why the height does not advance: the facts above were read when this run noticed the stall\n" +
      help,
  );
  expect(seen.ticks - begun).toBe(2 * hour);
  expect(seen.notices.at(-1)).toBe(
    "deadline: the node has not synced within 2 h 00 min (pillar-host:sync.deadline); to go on waiting: pulumi up -s prod",
  );
});

test("a stall is reported once with the host's facts, and its end, also by notification", async () => {
  const stand = (looks: number, observation: Observation) => Array<Observation>(looks).fill(observation);
  const stalled = (what: string) => [
    `sync: stalled: ${what} for 15 min. The wait goes on. On 203.0.113.7:`,
    "  disk: 0.0 of 2.0 GB free at /root. Nearly full: the node stops without room",
    "  log: panic",
    "sync: a node that was killed, for example by a power cut, may stall on a damaged database. If nothing above explains the stall, copy the chain of a synced host of yours (pillar-host:sync.from: oldHost), or sync again, for days: ssh root@203.0.113.7 'systemctl stop go-node && cd /root/.znn && rm -rf nom consensus cache network; systemctl start go-node'",
  ];
  const grown = [...stand(2, answer(1, 11, 1000)), ...stand(200, answer(1, 12, 1000))];
  const { deps, seen } = worldOf([...stand(200, none()), ...grown, good]);
  await waitForSync({ ...options, confirmations: 1 }, deps);
  expect(seen.lines.filter((line) => /stall|^ {2}|damaged/.test(line))).toEqual([
    ...stalled("the node has not returned its height"),
    "sync: the stall is over, height 11",
    ...stalled("the height has been 12"),
    "sync: the stall is over, height 1000",
  ]);
  expect(seen.notices).toEqual([
    "stalled: the node has not returned its height for 15 min",
    "over: the stall is over, height 11",
    "stalled: the height has been 12 for 15 min",
    "over: the stall is over, height 1000",
    "synced: synced at height 1000",
  ]);
});

describe.each(["check", "await"] as const)("%s", (wait) => {
  const settings: WaitOptions = { ...options, wait };

  test.each([
    ["no answer", none("refused"), "no answer from the node yet: refused"],
    ["syncing", answer(1, 10, 1000), `1.0 %, height 10 of 1000, ${since}`],
  ])("ends after one bad lookup: %s", async (_what, look, line) => {
    const { deps, seen } = worldOf([look]);
    const error = await giveUp(waitForSync(settings, deps));
    expect(error.message).toBe(
      `203.0.113.7: the node is not synced yet (pillar-host:sync.wait is ${wait})\n  found: ${line}\n${wait === "await" ? awaitingHelp : help}`,
    );
    expect(hasKind(error, wait === "await" ? "awaiting" : "gaveUp")).toBe(true);
    expect([seen.looks, seen.sleeps]).toEqual([1, []]);
  });

  test("continues good lookups to the end of the streak, or to the first bad one", async () => {
    const { deps, seen } = worldOf([good]);
    expect(await waitForSync(settings, deps)).toMatchObject({ currentHeight: 1000 });
    expect(seen.looks).toBe(3);
    const broken = worldOf([good, good, none(), good]);
    await giveUp(waitForSync(settings, broken.deps));
    expect(broken.seen.looks).toBe(3);
  });

  test.each([
    ["in the state of syncing", answer(1, 999, 1000)],
    ["one momentum below its target", answer(2, 999, 1000)],
  ])("repeats the lookup of a node %s, which may be adding a momentum", async (_what, look) => {
    const { deps, seen } = worldOf([look, look, good]);
    expect(await waitForSync(settings, deps)).toMatchObject({ currentHeight: 1000 });
    expect(seen.sleeps.slice(0, 2)).toEqual([1500, 1500]);
    const stuck = worldOf([look]);
    await giveUp(waitForSync(settings, stuck.deps));
    expect(stuck.seen.sleeps).toEqual([1500, 1500]);
  });

  test("fails if waiting alone does not help", async () => {
    const { deps } = worldOf([good]);
    const error = await giveUp(waitForSync({ ...settings, isChainUnverified: undefined }, deps));
    expect(error.message).toContain("no witness confirms its chain yet");
    expect(hasKind(error, "gaveUp")).toBe(true);
  });
});

test("ends if the engine is gone", async () => {
  const { deps, seen, engine } = worldOf([answer(1, 10, 1000)]);
  const waiting = waitForSync(options, { ...deps, seen: () => (seen.looks === 3 ? engine.abort() : undefined) });
  expect((await giveUp(waiting)).message).toContain("203.0.113.7: the node is no longer watched: pulumi has ended\n");
  expect(seen.looks).toBe(3);
});

test("throws a fatal error at once", async () => {
  const error = new ProblemError({ kind: "otherHostKey", what: "another host key" });
  const { deps, seen } = worldOf([none(), error]);
  await expect(waitForSync(options, deps)).rejects.toBe(error);
  expect(seen.looks).toBe(2);
});
