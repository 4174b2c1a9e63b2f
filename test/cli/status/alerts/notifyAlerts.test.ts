import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { muteAlerts, notifyAlerts } from "../../../../cli/status/alerts/notifyAlerts.ts";
import { addFigures, type Figures } from "../../../../cli/status/alerts/trends.ts";
import { createMissingServerError } from "../../../../cli/status/openStack.ts";
import type { StackLookup } from "../../../../cli/status/stackView.ts";
import type { Notice } from "../../../../core/notify/notify.ts";
import { ProblemError } from "../../../../core/util/problem.ts";
import { evilText } from "../../../evilText.ts";
import { scratchDirectory } from "../../../scratchDirectory.ts";
import {
  clock,
  createUnknownParts,
  healthyFacts as facts,
  partsOf,
  progress,
  registrations,
  viewOf,
} from "../../exampleView.ts";

const webhook = "https://push.example.org/s3cret";
const directory = scratchDirectory();

const found = (
  changes: Parameters<typeof viewOf>[0] = {},
  config: { notify?: string; heartbeat?: string } = { notify: webhook },
): StackLookup => ({
  stack: "prod",
  source: {
    stack: changes.stack ?? "prod",
    state: { isBegun: true },
    config: { ...config, pillar: { name: "Anvil" }, sync: { stallMinutes: 15 } },
  } as never,
  exitCode: 0,
  view: viewOf({ synced: true, locks: [], facts, parts: partsOf(registrations.producing), ...changes }),
});
const crontab = { parts: partsOf(registrations.producing, { hourlyRestart: { value: "on" } }) };
const lonely = { facts: { ...facts, node: { rpc: "127.0.0.1:35997", p2pPort: 35995, peers: 0 } } };

/** Notifies of these lookups, as one run of the command. */
async function run(all: readonly StackLookup[], answer?: Parameters<typeof notifyAlerts>[2]) {
  const [notices, beats]: [Notice[], string[]] = [[], []];
  const problems = await notifyAlerts(all, directory(), async (address, notice) => {
    if (notice === undefined) beats.push(address);
    else if (answer === undefined) notices.push(notice);
    return answer?.(address, notice);
  });
  return { notices, problems, beats, events: notices.map(({ event }) => event) };
}

/** Lets time pass between runs. */
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: clock }));
afterEach(() => void vi.useRealTimers());
const minute = 60_000;
const hour = 60 * minute;
const pass = (ms: number) => void vi.setSystemTime(Date.now() + ms);

describe("the webhook", () => {
  test("is notified once of a new alert, and once of its end", async () => {
    expect((await run([found()])).notices).toEqual([]);
    const message = expect.stringMatching(/^root's crontab restarts .*\nDetails: \.\/pillar-host status prod$/);
    const title = "Pillar Anvil (prod): a problem";
    expect((await run([found(crontab)])).notices).toEqual([{ event: "sign", title, message }]);
    expect((await run([found(crontab)])).notices).toEqual([]);
    const solved = expect.stringMatching(/^Solved: root's crontab/);
    const over = { event: "signOver", title: "Pillar Anvil (prod): solved", message: solved };
    expect((await run([found()])).notices).toEqual([over]);
    expect((await run([found()])).notices).toEqual([]);
    expect((await run([found(crontab)])).events).toEqual(["sign"]);
  });

  test("is notified once by two runs at one time", async () => {
    const [first, second] = await Promise.all([run([found(crontab)]), run([found(crontab)])]);
    expect([...first.events, ...second.events]).toEqual(["sign"]);
  });

  test("is not notified of the end of an alert that can't be checked", async () => {
    await run([found(crontab)]);
    const view = viewOf({ locks: [], facts: undefined, parts: createUnknownParts("active", "no answer") });
    const away = await run([
      { ...found(), view, exitCode: 2, problem: { what: "host1 could not be reached" } } as StackLookup,
    ]);
    expect(away.notices).toMatchObject([{ event: "sign", message: expect.stringContaining("host1 could not") }]);
    const again = await run([found(crontab)]);
    expect(again.notices).toMatchObject([{ event: "signOver", message: expect.stringContaining("host1 could not") }]);
  });

  test("is notified once of a host that refuses the login, of its end, and of nothing that can't be seen then", async () => {
    const refusal = new ProblemError({
      kind: "refusedLogin",
      what: "root@host1:22 refuses the login",
      needed: "a key",
    });
    const refused = { stack: "prod", source: found().source, refusal } as StackLookup;
    const view = viewOf({ locks: [], facts: undefined, parts: createUnknownParts("active", "no answer") });
    const away = { ...found(), view, exitCode: 2, problem: { what: "host1 is silent" } } as StackLookup;
    await run([found(crontab)]);
    const { notices, problems } = await run([refused]);
    const message = "root@host1:22 refuses the login\nDetails: ./pillar-host status prod";
    expect([notices, problems]).toEqual([[{ event: "sign", title: "Pillar Anvil (prod): a problem", message }], []]);
    expect((await run([refused])).notices).toEqual([]);
    // A silent host may refuse the login still; a host that refuses it is not silent.
    expect((await run([away])).events).toEqual(["sign"]);
    expect((await run([refused])).notices).toMatchObject([{ message: "Solved: host1 is silent" }]);
    pass(24 * hour);
    const still = expect.stringContaining("Still: root@host1:22 refuses the login\n");
    expect((await run([refused])).notices).toMatchObject([{ event: "reminder", message: still }]);
    expect(await muteAlerts(found().source as never, true, directory())).toContain("- root@host1:22 refuses");
    const solved = "Solved: root@host1:22 refuses the login";
    expect((await run([found(crontab)])).notices).toMatchObject([{ event: "signOver", message: solved }]);
    const unbegun = { ...refused, source: { ...refused.source, state: { isBegun: false } } } as StackLookup;
    expect((await run([unbegun])).events).toEqual([]);
  });

  test("is notified again after a refusal, which never names its address", async () => {
    const { problems } = await run([found(crontab)], async () => "it answers 500");
    expect(problems).toEqual([
      expect.stringMatching(
        /^the webhook of prod was not notified: it answers 500\n {2}needed: the next run tries again.*notify --test prod$/,
      ),
    ]);
    expect((await run([found(crontab)])).events).toEqual(["sign"]);
  });

  test("gets no control characters of a host", async () => {
    const orchestrator = { value: { kind: "silent", text: evilText, isWrong: true } } as const;
    const { notices } = await run([found({ parts: partsOf(registrations.producing, { orchestrator }) })]);
    expect(notices[0]?.message).not.toContain("\u001b");
  });

  test("is notified of momentums missed across runs", async () => {
    const counted = (figures: object) => partsOf({ ...registrations.producing, figures } as never);
    const figures = (expected: number, produced: number) => [found({ parts: counted({ expected, produced }) })];
    expect((await run(figures(10, 7))).notices).toEqual([]);
    expect((await run(figures(11, 7))).notices).toMatchObject([{ message: expect.stringContaining("at least 3") }]);
    // The node repeats an older count: nothing is known, so nothing is solved.
    expect((await run(figures(11, 7))).notices).toEqual([]);
    expect((await run(figures(12, 8))).notices).toEqual([]);
  });

  test("is notified again only of what a killed run had not sent", async () => {
    const kill = () => Promise.reject(new Error("killed"));
    await run([found(crontab)], kill);
    expect((await run([found(crontab)])).events).toEqual(["sign"]);
    const changed = found(lonely);
    await run([changed], async (_, notice) => (notice?.event === "sign" ? undefined : kill()));
    expect((await run([changed])).events).toEqual(["signOver"]);
  });
});

describe("an alert that needs several lookups", () => {
  /** Returns the notifications of runs with these lookups, each so long after the one before. */
  const sentBy = async (...runs: readonly (readonly [ms: number, look: StackLookup])[]) => {
    const all: (string | undefined)[] = [];
    for (const [ms, look] of runs) {
      pass(ms);
      const { notices } = await run([look]);
      all.push(notices.map(({ message }) => message.split("\nDetails")[0]).join("; ") || undefined);
    }
    return all;
  };
  const units = (restarts: number, signer = 0) => [
    { name: "go-zenon", restarts, files: 9, limit: 1024 },
    { name: "orchestrator", restarts: signer, files: 0, limit: 0 },
  ];
  const restarted = (...counts: Parameters<typeof units>) => found({ facts: { ...facts, units: units(...counts) } });

  test("is sent once of a unit that restarts by itself, and its end", async () => {
    const since = "since 2026-11-21 15:15 UTC";
    const first = restarted(7);
    expect(
      await sentBy(
        [10 * minute, first],
        [10 * minute, restarted(8)],
        [10 * minute, restarted(10)],
        [50 * minute, restarted(10)],
        [70 * minute, restarted(10)],
        [10 * minute, restarted(10, 2)],
        // Somebody restarted the unit, and systemd counts anew.
        [10 * minute, restarted(0, 2)],
      ),
    ).toEqual([
      undefined,
      `go-zenon failed and was restarted once ${since}`,
      undefined,
      undefined,
      `Solved: go-zenon failed and was restarted once ${since}`,
      "orchestrator failed and was restarted 2 times since 2026-11-21 16:25 UTC",
      undefined,
    ]);
  });

  const syncing = (height: number, changes: Parameters<typeof found>[0] = {}) => {
    const info = { state: 1, currentHeight: height, targetHeight: 20_000 };
    const sync = progress({ observation: { kind: "answer", info, nodeTime: 0 } });
    const done = { packages: "x", deployed: "x" };
    return found({ synced: false, parts: partsOf(), facts: { ...facts, done }, sync, ...changes });
  };

  test("is sent once of a first sync that stalls, and its end", async () => {
    const stalled = "the sync stalls: height 5000 since 2026-11-21 15:05 UTC";
    expect(
      await sentBy(
        [0, syncing(5000)],
        [10 * minute, syncing(5000)],
        [10 * minute, syncing(5000)],
        [10 * minute, syncing(5000)],
        [10 * minute, syncing(5001)],
        [30 * minute, syncing(6000)],
        [60 * minute, syncing(7000)],
      ),
    ).toEqual([undefined, undefined, stalled, undefined, `Solved: ${stalled}`, undefined, undefined]);
  });

  test("is not sent of a node that was synced, and whose height another alert is about", async () => {
    const lost = syncing(5000, { facts });
    expect((await sentBy([0, lost], [hour, lost])).join()).not.toContain("stalls");
  });

  const withFree = (free: number) => found({ facts: { ...facts, disk: { at: "/root/.znn", size: 264e6, free } } });
  test("is sent once of a disk that will be full, with the date, and its end", async () => {
    const runs = [withFree(70e6), withFree(69.9e6), withFree(60e6), withFree(58e6), withFree(80e6)];
    const times = [0, 10 * minute, 75 * minute, hour, hour];
    expect(await sentBy(...runs.map((look, index) => [times[index] ?? 0, look] as const))).toEqual([
      undefined,
      // In ten minutes even a tenth of a gigabyte proves nothing.
      undefined,
      "the disk will be full about 2026-11-22 01:00 UTC: 61.4 GB are free, 71.7 were at 2026-11-21 15:05 UTC",
      undefined,
      expect.stringMatching(/^Solved: the disk will be full/),
    ]);
  });

  test("compares with one lookup an hour, of the last day", () => {
    const all = Array.from({ length: 400 }, (_, index) => ({ at: index * 10 * minute, restarts: {} }) as Figures);
    const kept = all.reduce<readonly Figures[]>(addFigures, []);
    expect(kept.map(({ at }) => at / hour)).toEqual(Array.from({ length: 24 }, (_, index) => index + 43));
  });

  test("is over some lookups after one large file", async () => {
    const large = [70e6, 50e6, 50e6, 50e6, 50e6, 50e6].map((free) => [2 * hour, withFree(free)] as const);
    const sent = await sentBy(...large);
    const full = expect.stringMatching(/^the disk will be full/);
    const solved = expect.stringMatching(/^Solved: the disk will be full/);
    expect(sent).toEqual([undefined, full, undefined, undefined, solved, undefined]);
  });

  test.each([
    [18_000, []],
    [10_100, ["sign"]],
  ])("counts the use of a first sync only as long as it lasts: at height %i", async (height, events) => {
    const disk = (free: number) => ({ facts: { ...facts, done: {}, disk: { at: "/", size: 264e6, free } } });
    await run([syncing(10_000, disk(70e6))]);
    pass(2 * hour);
    expect((await run([syncing(height, disk(60e6))])).events).toEqual(events);
  });
});

describe("a requirement that comes nearer", () => {
  const due = (days?: number) => {
    const expectedAt = days === undefined ? undefined : clock + days * 24 * hour;
    const gap = { fromHeight: 9, leastVersion: "v0.0.10", why: "x", release: "y", found: "v0.0.8", expectedAt };
    return found({ parts: partsOf(registrations.producing, { versions: { value: [gap] } }) });
  };

  test("is sent when it is known, three days before, and when it applies; it is solved once", async () => {
    const events = [];
    for (const days of [9, 4, 3, 2, undefined]) events.push((await run([due(days)])).events);
    expect(events).toEqual([["sign"], [], ["sign"], [], ["sign"]]);
    const { notices } = await run([found()]);
    expect(notices).toMatchObject([{ event: "signOver", message: expect.stringMatching(/^Solved: [^\n]*$/) }]);
  });
});

describe("a reminder", () => {
  const stack = { stack: "prod", config: { pillar: { name: "Anvil" } } } as never;
  const both = { ...crontab, ...lonely };
  const day = 24 * hour;

  test("is sent once a day while an alert lasts, as it is now", async () => {
    await run([found(crontab)]);
    pass(day - minute);
    expect((await run([found(both)])).events).toEqual(["sign"]);
    pass(minute);
    const { notices } = await run([found(both)]);
    expect(notices).toEqual([
      {
        event: "reminder",
        title: "Pillar Anvil (prod): reminder",
        message: expect.stringMatching(
          /^Still: root's crontab [^\n]*\nStill: the node has no peers\nNo more reminders of this: \.\/pillar-host status prod --mute$/,
        ),
      },
    ]);
    expect((await run([found(both)])).events).toEqual([]);
    pass(day);
    expect((await run([found()])).events).toEqual(["signOver"]);
    pass(day);
    expect((await run([found()])).events).toEqual([]);
    // A day counts from the first of the present alerts.
    await run([found(crontab)]);
    pass(hour);
    expect((await run([found(crontab)])).events).toEqual([]);
  });

  test("is muted until the alert is over; another alert and each end are still sent", async () => {
    await run([found(crontab)]);
    expect(await muteAlerts(stack, true, directory())).toMatch(
      /^No more reminders of:\n- root's crontab .*\nTheir end .*: \.\/pillar-host status prod --unmute$/,
    );
    pass(day);
    expect((await run([found(crontab)])).events).toEqual([]);
    expect((await run([found(both)])).notices).toMatchObject(
      [{ event: "sign", message: /^the node has no peers/ }].map(() => ({ event: "sign" })),
    );
    pass(day);
    const { notices } = await run([found(both)]);
    expect(notices.map(({ message }) => message.split("\n").length)).toEqual([2]);
    expect((await run([found(lonely)])).events).toEqual(["signOver"]);
    // The next one of the kind is not muted.
    expect((await run([found(both)])).events).toEqual(["sign"]);
    pass(day);
    expect((await run([found(both)])).notices[0]?.message).toContain("Still: root's crontab");
  });

  test("comes again after --unmute", async () => {
    await run([found(crontab)]);
    await muteAlerts(stack, true, directory());
    expect(await muteAlerts(stack, false, directory())).toMatch(/^Reminders once a day of:\n- root's crontab .*$/);
    pass(day);
    expect((await run([found(crontab)])).events).toEqual(["reminder"]);
  });

  test("comes a day after a clock that was a year ahead, as the trends go on", async () => {
    vi.setSystemTime(clock + 365 * day);
    await run([found(crontab)]);
    vi.setSystemTime(clock);
    expect((await run([found(crontab)])).events).toEqual([]);
    pass(day);
    expect((await run([found(crontab)])).events).toEqual(["reminder"]);
    const [name = ""] = readdirSync(directory());
    const { figures } = JSON.parse(readFileSync(path.join(directory(), name), "utf8")) as { figures: Figures[] };
    expect(figures.map(({ at }) => at)).toEqual([clock, clock + day]);
  });

  test("can't be muted without an alert", async () => {
    await run([found()]);
    await expect(muteAlerts(stack, true, directory())).rejects.toThrow(/has sent no alert of prod that is not over/);
  });
});

describe("the problems of a run", () => {
  test("include a newer file of sent alerts, but not an unreadable one", async () => {
    await run([found(crontab)]);
    const [name = ""] = readdirSync(directory());
    writeFileSync(path.join(directory(), name), '{"version":9}');
    expect((await run([found(crontab)])).problems).toEqual([expect.stringMatching(/written by a newer version/)]);
    writeFileSync(path.join(directory(), name), "torn");
    expect(await run([found(crontab)])).toMatchObject({ problems: [], events: ["sign"] });
  });

  test("include a stack that can't be opened, but not a stack without a server", async () => {
    const closed = new ProblemError({ what: "the pass phrase does not open stack prod" });
    const gone = createMissingServerError("prod-1", true);
    const all: StackLookup[] = [found(), { stack: "prod", refusal: closed }, { ...found(), refusal: gone }];
    const said = "the webhook of prod was not notified, and no heartbeat is called, because its own is not known";
    expect(await run(all)).toMatchObject({ problems: [`${said}: ${closed.message}`], events: [] });
  });

  test("include stacks without any webhook", async () => {
    const said = expect.stringMatching(/^pillar-host:notify is configured for no stack/);
    expect((await run([found({}, {})])).problems).toEqual([said]);
    expect((await run([found(crontab, {}), found()])).problems).toEqual([]);
  });
});

describe("the heartbeat", () => {
  const config = { notify: webhook, heartbeat: "https://hc.example.org/s3cret" };

  test("is called once a run, even if several stacks name it", async () => {
    expect((await run([found({}, config), found({}, config), found()])).beats).toEqual([config.heartbeat]);
  });

  test("is called whatever the run found", async () => {
    const refusal = new ProblemError({ what: "no state" });
    const lookup = { stack: "prod", source: found({}, config).source, refusal } as StackLookup;
    const refused = await run([lookup, { stack: "prod-2", refusal: createMissingServerError("prod-2", false) }]);
    const ill = await run([found(crontab, config)]);
    expect([refused.beats, ill.beats]).toEqual([[config.heartbeat], [config.heartbeat]]);
  });

  test("is not called while a stack can't be opened, which may have the same", async () => {
    const refusal = new ProblemError({ what: "the pass phrase does not open stack prod-2" });
    expect((await run([found({}, config), { stack: "prod-2", refusal }])).beats).toEqual([]);
  });

  test("is not called while alerts can't arrive, so that its service tells it; another stack's is", async () => {
    const other = { notify: webhook, heartbeat: "https://hc.example.org/other" };
    const both = [found(crontab, config), { ...found({ stack: "prod-2" }, other), stack: "prod-2" }];
    const refused = await run(both, async (_, notice) => notice && "it answers 500");
    expect(refused.beats).toEqual([other.heartbeat]);
    expect(refused.problems).toEqual([
      expect.stringContaining("to check the webhook: ./pillar-host notify --test prod"),
    ]);
    // As with a full disk.
    mkdirSync(path.join(directory(), `Anvil@prod.json.${process.pid}.part`));
    const full = await run([found(crontab, config)]);
    expect([full.beats, full.events]).toEqual([[], []]);
    expect(full.problems).toEqual([
      expect.stringMatching(/^the webhook of prod was not notified: [^\n]*\.part[^\n]*$/),
    ]);
  });

  test("is a problem of the run if it was refused, without its address, and hides no alert", async () => {
    const sent: unknown[] = [];
    const { problems } = await run([found(crontab, config)], async (_, notice) => {
      sent.push(notice?.event);
      return notice ? undefined : "it answers 404";
    });
    const said = expect.stringMatching(
      /^the heartbeat of prod was not received: it answers 404\n {2}needed: .* --secret --path pillar-host:heartbeat/,
    );
    expect([problems, sent]).toEqual([[said], ["sign", undefined]]);
    expect(problems.join()).not.toContain("s3cret");
  });
});
