import fs from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openAlertNotifier } from "../../../../cli/status/alerts/notifyAlerts";
import { NoServerRefusal, type StackWithHost } from "../../../../cli/status/openStack";
import type { StackLookup } from "../../../../cli/status/overview";
import { CliRefusal } from "../../../../cli/terminal/refusal";
import type { Notice } from "../../../../core/notify/notify";
import type { NodeHostFacts } from "../../../../core/ssh/hostFacts";
import { evilText } from "../../../evilText";
import { viewOf } from "../../exampleView";
import { partsOf, registrations } from "../parts/exampleParts";

const webhook = "https://push.example.org/s3cret";
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "signs-"));
});
afterEach(() => rm(directory, { recursive: true }));

const source = (notify: string | undefined = webhook, heartbeat?: string) =>
  ({ stack: "prod", config: { pillar: { name: "Anvil" }, notify, heartbeat } }) as unknown as StackWithHost;
const facts: NodeHostFacts = {
  done: { deployed: "x", synced: "x" },
  node: { rpc: "127.0.0.1:35997", p2pPort: 35995, peers: 8 },
  disk: { at: "/root/.znn", size: 264_200_000, free: 75_000_000 },
  clock: { now: "x", isKept: true },
  log: [],
};
const found = (changes: Parameters<typeof viewOf>[0] = {}): StackLookup => ({
  stack: "prod",
  exitCode: 0,
  lines: [],
  view: viewOf({ synced: true, locks: [], facts, parts: partsOf(registrations.producing), ...changes }),
});
const crontab = { parts: partsOf(registrations.producing, { hourlyRestart: { value: "on" } }) };
const lonely = { ...crontab, facts: { ...facts, node: { rpc: "127.0.0.1:35997", p2pPort: 35995, peers: 0 } } };
const unseen: StackLookup = { ...found(), exitCode: 2, lines: ["host1 could not be reached"] } as StackLookup;

/** Runs the command with these lookups. */
async function run(
  one: StackLookup | readonly StackLookup[],
  {
    answer = async (): Promise<string | undefined> => undefined,
    sources = [source()] as (StackWithHost | CliRefusal)[],
    beat = async (_address: string, _hasFailed: boolean): Promise<string | undefined> => undefined,
  } = {},
) {
  const notices: Notice[] = [];
  const send = async (_address: string, notice: Notice) => {
    notices.push(notice);
    return answer();
  };
  const notifier = await openAlertNotifier(send, directory, 0, beat);
  try {
    const all = "view" in one || "refusal" in one ? [one] : one;
    const problems = await notifier.notify(all, sources);
    return { notices, problems, events: notices.map(({ event }) => event) };
  } finally {
    await notifier.close();
  }
}

describe("the webhook", () => {
  test("is notified once of a new alert, and once of its end", async () => {
    expect((await run(found())).notices).toEqual([]);
    const { notices } = await run(found(crontab));
    expect(notices).toEqual([
      {
        event: "sign",
        title: "Pillar Anvil (prod): a problem",
        message: expect.stringMatching(/^root's crontab restarts .*\nDetails: \.\/pillar-host status prod$/),
      },
    ]);
    expect((await run(found(crontab))).notices).toEqual([]);
    const over = await run(found());
    expect(over.notices).toEqual([
      {
        event: "signOver",
        title: "Pillar Anvil (prod): solved",
        message: expect.stringMatching(/^Solved: root's crontab/),
      },
    ]);
    expect((await run(found())).notices).toEqual([]);
    expect((await run(found(crontab))).events).toEqual(["sign"]);
  });

  test("is notified of several alerts at once, and of a later alert alone", async () => {
    await run(found(crontab));
    const { notices } = await run(found(lonely));
    expect(notices).toMatchObject([
      { event: "sign", message: expect.stringMatching(/^the node has no peers\nDetails/) },
    ]);
    expect((await run(found())).notices[0]?.message.split("\n")).toHaveLength(2);
  });

  test("is not notified of the end of an alert that can't be checked", async () => {
    await run(found(crontab));
    const away = await run({
      ...unseen,
      view: viewOf({ locks: [], facts: undefined, parts: undefined }),
    } as StackLookup);
    expect(away.notices).toMatchObject([{ event: "sign", message: expect.stringContaining("host1 could not") }]);
    const again = await run(found(crontab));
    expect(again.notices).toMatchObject([{ event: "signOver", message: expect.stringContaining("host1 could not") }]);
  });

  test("is notified again after a refusal, which never names its address", async () => {
    const { problems } = await run(found(crontab), { answer: async () => "it answers 500" });
    expect(problems).toEqual([
      expect.stringMatching(
        /^the webhook of prod refused a notification: it answers 500; .*\n {2}needed: .*notify --test prod$/,
      ),
    ]);
    expect(problems.join()).not.toContain("s3cret");
    expect((await run(found(crontab))).events).toEqual(["sign"]);
  });

  test("gets no control characters of a host", async () => {
    const signer = { value: { kind: "silent", text: evilText, isWrong: true } } as const;
    const { notices } = await run(found({ parts: partsOf(registrations.producing, { orchestrator: signer }) }));
    expect(notices[0]?.message).not.toContain("\u001b");
  });

  test("is notified of momentums missed across runs", async () => {
    const figures = (expected: number, produced: number) =>
      found({ parts: partsOf({ ...registrations.producing, figures: { expected, produced } }) });
    expect((await run(figures(10, 7))).notices).toEqual([]);
    expect((await run(figures(11, 7))).notices).toMatchObject([{ message: expect.stringContaining("at least 3") }]);
    expect((await run(figures(12, 8))).notices).toEqual([]);
  });
});

describe("a killed run", () => {
  const never = () => new Promise<never>(() => undefined);

  test("is repeated by the next run if the webhook had not accepted", async () => {
    let sent = 0;
    const send = () => {
      sent += 1;
      return never();
    };
    const notifier = await openAlertNotifier(send, directory, 0);
    void notifier.notify([found(crontab)], [source()]);
    await expect.poll(() => sent).toBe(1);
    await notifier.close();
    expect((await run(found(crontab))).events).toEqual(["sign"]);
  });

  test("causes no second notification if the webhook had accepted", async () => {
    await run(found(crontab));
    const changed = found({ facts: lonely.facts });
    let sent = 0;
    const send = () => {
      sent += 1;
      return sent === 1 ? Promise.resolve(undefined) : never();
    };
    const notifier = await openAlertNotifier(send, directory, 0);
    void notifier.notify([changed], [source()]);
    await expect.poll(() => sent).toBe(2);
    await notifier.close();
    expect((await run(changed)).events).toEqual(["signOver"]);
  });

  test("keeps the earlier file if it was writing it", async () => {
    await run(found(crontab));
    const [name = ""] = fs.readdirSync(directory).filter((file) => file.endsWith(".json"));
    fs.writeFileSync(path.join(directory, `${name}.1.part`), "{");
    expect((await run(found(crontab))).notices).toEqual([]);
  });
});

describe("the problems of a run", () => {
  test("include another active run on this machine", async () => {
    const first = await openAlertNotifier(undefined, directory, 0);
    await expect(openAlertNotifier(undefined, directory, 0)).rejects.toThrow(/^another status --notify is running/);
    await first.close();
  });

  test("include an unreadable or newer file of sent alerts, and other stacks are still notified", async () => {
    await run(found(crontab));
    const [name = ""] = fs.readdirSync(directory).filter((file) => file.endsWith(".json"));
    const file = path.join(directory, name);
    const other = {
      ...found(crontab),
      stack: "other",
      view: viewOf({ ...crontab, stack: "other", facts, synced: true }),
    } as StackLookup;
    for (const [text, said] of [
      ["torn", /can't be read\n.*\n {2}needed: .*rm '/],
      ['{"version":9}', /written by a newer version/],
    ] as const) {
      fs.writeFileSync(file, text);
      const { problems } = await run([found(crontab), other], { sources: [source(), source()] });
      expect(problems).toEqual([expect.stringMatching(said)]);
    }
    expect(fs.readdirSync(directory).filter((each) => each.startsWith("Anvil@"))).toHaveLength(2);
  });

  test("include a stack that can't be opened, but not a stack without a server", async () => {
    const closed = new CliRefusal("the pass phrase does not open stack prod");
    const { problems } = await run({ stack: "prod", refusal: closed }, { sources: [closed] });
    expect(problems).toEqual([
      "prod could not be read, so its webhook was not notified: the pass phrase does not open stack prod",
    ]);
    const gone = new NoServerRefusal("prod", true);
    expect((await run({ stack: "prod", refusal: gone }, { sources: [gone] })).problems).toEqual([]);
  });

  test("include stacks without any webhook", async () => {
    const none = { config: { pillar: { name: "Anvil" } } } as unknown as StackWithHost;
    expect((await run(found(), { sources: [none] })).problems).toEqual([
      expect.stringMatching(/^pillar-host:notify is configured for no stack/),
    ]);
    expect((await run([found(crontab), found()], { sources: [none, source()] })).problems).toEqual([]);
  });
});

describe("the heartbeat", () => {
  const heartbeat = "https://hc.example.org/s3cret";
  const beats: [string, boolean][] = [];
  const beat = async (address: string, hasFailed: boolean) => void beats.push([address, hasFailed]);
  beforeEach(() => beats.splice(0));

  test("is called once per run, even if several stacks name it", async () => {
    const sources = [source(webhook, heartbeat), source(webhook, heartbeat)];
    await run([found(crontab), { ...found(), stack: "prod-2" }], { sources, beat });
    expect(beats).toEqual([[heartbeat, false]]);
  });

  test("reports failure if a stack could not be read or a webhook refused", async () => {
    const refusal = new CliRefusal("no state");
    const sources = [source(webhook, heartbeat), refusal];
    await run([found(), { stack: "prod-2", refusal }], { sources, beat });
    await run(found(crontab), { sources, answer: async () => "it answers 500", beat });
    expect(beats).toEqual([
      [heartbeat, true],
      [heartbeat, true],
    ]);
  });

  test("a refused call is a problem of the run, without the address", async () => {
    const { problems } = await run(found(), {
      sources: [source(webhook, heartbeat)],
      beat: async () => "it answers 404",
    });
    expect(problems).toEqual([
      expect.stringMatching(/^the heartbeat of prod was refused: it answers 404\n {2}needed: /),
    ]);
    expect(problems.join()).not.toContain("s3cret");
  });
});
