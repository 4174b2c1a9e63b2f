import { describe, expect, test } from "vitest";
import { findVersionGaps } from "../../../core/chain/requiredVersions";
import { judgeUpgrade } from "../../../core/upgrade/judgeUpgrade";
import { findRollbackFault } from "../../../core/upgrade/rollbackFault";
import { type UpgradeDeps, upgradeNode } from "../../../core/upgrade/upgrade";

const options = { before: { synced: true, currentHeight: 100 }, hasSlots: true, limit: 40_000 };
const good = { synced: true, known: true, why: "synced", currentHeight: 103 };

describe("a new version", () => {
  test.each([
    ["produces is good", {}, good, 1, 2000, "good"],
    ["had no slot yet is pending", {}, good, 0, 2000, "open"],
    ["had no slot until the timeout is good", {}, good, 0, 40_000, "good"],
    ["has no slots on this host is good at once", { hasSlots: false }, good, 0, 2000, "good"],
    ["does not grow is pending", {}, { ...good, currentHeight: 100 }, 0, 39_000, "open"],
    ["does not grow until the timeout is bad", {}, { ...good, currentHeight: 100 }, 0, 40_000, "bad"],
    ["follows a fork is bad at once", {}, { ...good, synced: false, reason: "otherChain" as const }, 0, 2000, "bad"],
    ["grows and is not synced is bad", {}, { ...good, synced: false }, 1, 40_000, "bad"],
    [
      "grows and was not synced before is good",
      { before: { synced: false, reason: "syncing" as const, currentHeight: 100 }, hasSlots: false },
      { ...good, synced: false },
      ...([0, 2000, "good"] as const),
    ],
    [
      "replaces a too old version and is not synced is bad",
      { before: { synced: false, reason: "oldVersion" as const, currentHeight: 100 } },
      { ...good, synced: false },
      ...([0, 40_000, "bad"] as const),
    ],
  ] as const)("judges one that %s", (_, more, node, produced, waited, is) => {
    const judgement = judgeUpgrade({ ...options, ...more, node, produced, waited });
    expect(judgement === undefined ? "open" : judgement.isGood ? "good" : "bad").toBe(is);
  });
});

describe("a rollback", () => {
  const main = "9".repeat(64);
  const rules = {
    mainNetwork: main,
    releases: "https://r.example",
    rows: [{ fromHeight: 1000, leastVersion: "v0.0.10", why: "the window", release: "https://r.example" }],
  };
  const facts = { before: "v0.0.8", height: 999, genesis: main, rules, sporks: [], isSynced: true };
  const spork = { id: "a".repeat(64), name: "dynamic plasma", enforcedFrom: 2000 };
  test.each([
    ["is possible below the required height", {}, undefined],
    [
      "is impossible from the required height on",
      { height: 1000 },
      /^v0\.0\.10 or newer is required from height 1000 on/,
    ],
    ["is possible on another network", { height: 1000, genesis: "8".repeat(64) }, undefined],
    ["is impossible to an unknown version", { height: 1000, before: undefined }, /is required/],
    ["is possible while a spork is only announced", { sporks: [{ id: spork.id, name: spork.name }] }, undefined],
    [
      "is impossible to a version without an active spork",
      { sporks: [spork] },
      /^the spork aaaaaaaa… is active, and v0\.0\.8 may not/,
    ],
    [
      "is impossible if an unknown version has an active spork ahead",
      { before: "v0.0.9", sporks: [spork] },
      /is active/,
    ],
    [
      "is possible if an unknown version has passed the spork",
      { before: "v0.0.9", sporks: [spork], height: 2500, rules: undefined },
      undefined,
    ],
  ])("%s", (_, more, fault) => {
    const { before, height, genesis, rules: table, ...chain } = { ...facts, ...more };
    const gaps = table ? findVersionGaps({ version: before, genesis }, table, height, 0) : [];
    const due = gaps.filter(({ expectedAt }) => expectedAt === undefined);
    const found = findRollbackFault({ before, height, gaps: due, ...chain });
    if (fault === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(fault);
  });
});

/** Returns a host that answers `look` with these texts in turn, and then always with the last one. */
function stage(looks: string[], more: Partial<UpgradeDeps> = {}) {
  const did: string[] = [];
  let now = 0;
  const deps: UpgradeDeps = {
    now: () => now,
    ticks: () => now,
    sleep: async (ms) => {
      now += ms;
    },
    host: async (name, given = {}) => {
      const variables: { may_go_back?: boolean; verdict?: string } = given;
      if (name === "look") return (looks.length > 1 ? looks.shift() : looks[0]) ?? "";
      if (name === "fetch") return "fetched\n";
      did.push(`${name} ${variables.may_go_back ?? Buffer.from(String(variables.verdict), "base64")}`);
      return "";
    },
    node: async () => ({ synced: true, known: true, why: "synced", currentHeight: 100 + Math.floor(now / 400) }),
    version: async () => "v0.0.8",
    tick: async () => undefined,
    findRollbackFault: async () => undefined,
    waitForSigner: async () => undefined,
    say: (line) => void did.push(line),
    ...more,
  };
  const options = {
    stack: "prod",
    address: "203.0.113.7",
    version: "v0.0.10",
    network: { momentum: 10_000, tickMomentums: 30 },
  };
  return { did, run: () => upgradeNode(options, deps) };
}
const none = "producer=z1q\n";
const atWork = "atWork=yes\n";
const answers = "atWork=yes\nwithout=2500\n";
const end = (stageOf: string, why = "") => `stage=${stageOf}\nwhy=${why}\nwithout=2500\n`;

describe("an upgrade", () => {
  test("swaps, judges, and reports the seconds without the node", async () => {
    const { run, did } = stage([none, atWork, answers, answers, end("done")]);
    expect(await run()).toEqual({ without: 2500 });
    expect(did).toContain("swap true");
    expect(did).toContain("judge good");
    expect(did.at(-1)).toBe("v0.0.10 runs now instead of v0.0.8; the node was down for 2.5 s");
  });

  test("waits for an active upgrade, and does nothing if the version is installed", async () => {
    const { run, did } = stage([atWork, answers, "installed=yes\n"]);
    expect(await run()).toEqual({});
    expect(did).toEqual([]);
  });

  test("says before it begins that a rollback over a fork is impossible", async () => {
    const { run, did } = stage([none, end("stuck", "the height has not grown")], {
      findRollbackFault: async () => "v0.0.10 or newer is required",
    });
    await expect(run()).rejects.toThrow(
      "203.0.113.7: v0.0.10 of the node is not good, and stays: v0.0.8 would follow another chain\n  found: the height has not grown\n  needed: set pillar-host:node.release to a release that works\n",
    );
    const said = did.findIndex((line) =>
      line.startsWith("v0.0.8 can't be restored automatically, because it would follow another chain"),
    );
    expect(said).toBeGreaterThanOrEqual(0);
    expect(said).toBeLessThan(did.indexOf("swap false"));
  });

  test.each(["back", "off"])("reports the reason and the command if it ends with %s", async (stageOf) => {
    const { run } = stage([none, end(stageOf, "its RPC does not answer")]);
    await expect(run()).rejects.toThrow(
      /^203\.0\.113\.7: [\s\S]*\n {2}found: its RPC does not answer\n[\s\S]*Then: pulumi up -s prod/,
    );
  });

  test("names the log if it does not end", async () => {
    const { run } = stage([none, atWork]);
    await expect(run()).rejects.toThrow(/the node's upgrade did not end\n[\s\S]*journalctl/);
  });

  test("waits for a time without a slot, at most two ticks", async () => {
    const pillars = { genesis: 0, pillars: 100 };
    let now = 0;
    const clock = {
      ticks: () => now,
      sleep: async (ms: number) => {
        now += ms;
      },
    };
    const free = stage([none, answers, end("done")], {
      ...clock,
      tick: async () => ({ ...pillars, now, produced: now >= 100_000 ? [100_000] : [] }),
    });
    await free.run();
    expect(free.did).toContain("the Pillar has no slot for 3 min: upgrading now");
    expect(now).toBeLessThan(200_000);
    now = 0;
    const late = stage([none, answers, end("done")], {
      ...clock,
      tick: async () => ({ ...pillars, now, produced: [] }),
    });
    await late.run();
    expect(late.did).toContain("no time without a slot came within 10 min: upgrading now, a momentum may be missed");
  });

  test("does not begin during a key generation, and reports a replaced program", async () => {
    const { run, did } = stage(["installed=v0.0.10\nreplaced=yes\n"], {
      waitForSigner: () => Promise.reject(new Error("a key generation")),
    });
    await expect(run()).rejects.toThrow("a key generation");
    expect(did[0]).toBe(
      "the installed node program, v0.0.10, was replaced by somebody, perhaps by the controller's Deploy",
    );
    expect(did.filter((line) => line.startsWith("swap"))).toEqual([]);
  });
});
