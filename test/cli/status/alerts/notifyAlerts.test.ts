import { readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { notifyAlerts } from "../../../../cli/status/alerts/notifyAlerts.ts";
import { createMissingServerError } from "../../../../cli/status/openStack.ts";
import { createUnknownParts } from "../../../../cli/status/parts/statusParts.ts";
import type { StackLookup } from "../../../../cli/status/stackView.ts";
import type { Notice } from "../../../../core/notify/notify.ts";
import { ProblemError } from "../../../../core/util/problem.ts";
import { evilText } from "../../../evilText.ts";
import { scratchDirectory } from "../../../scratchDirectory.ts";
import { healthyFacts as facts, partsOf, registrations, viewOf } from "../../exampleView.ts";

const webhook = "https://push.example.org/s3cret";
const directory = scratchDirectory();

const found = (
  changes: Parameters<typeof viewOf>[0] = {},
  config: { notify?: string; heartbeat?: string } = { notify: webhook },
): StackLookup => ({
  stack: "prod",
  source: { stack: "prod", config } as never,
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
    const all: StackLookup[] = [found(), { stack: "prod", refusal: closed }, { stack: "prod-1", refusal: gone }];
    expect((await run(all)).problems).toEqual([`the webhook of prod was not notified: ${closed.message}`]);
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

  test("is called whatever the run found and could send", async () => {
    const refusal = new ProblemError({ what: "no state" });
    const closed = await run([{ ...found({}, config), refusal } as StackLookup, { stack: "prod-2", refusal }]);
    const refused = await run([found(crontab, config)], async (_, notice) => notice && "it answers 500");
    expect([closed.beats, refused.beats]).toEqual([[config.heartbeat], [config.heartbeat]]);
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
