import { describe, expect, test } from "vitest";
import { findVersionGaps } from "../../../core/chain/requiredVersions";
import { judge } from "../../../core/upgrade/judgeUpgrade";
import { wayBackFault } from "../../../core/upgrade/rollbackFault";
import { type UpgradeDeps, upgradeNode } from "../../../core/upgrade/upgrade";

const options = { before: { synced: true, currentHeight: 100 }, hasSlots: true, limit: 40_000 };
const good = { synced: true, known: true, why: "synced", currentHeight: 103 };

describe("a new version", () => {
  test.each([
    ["produces: good", {}, good, 1, 2000, "good"],
    ["has shown no slot yet: waited for", {}, good, 0, 2000, "open"],
    ["has shown no slot in the limit: good", {}, good, 0, 40_000, "good"],
    ["has no slots on this host: good at once", { hasSlots: false }, good, 0, 2000, "good"],
    ["stands still: waited for", {}, { ...good, currentHeight: 100 }, 0, 39_000, "open"],
    ["stands still: bad in the end", {}, { ...good, currentHeight: 100 }, 0, 40_000, "bad"],
    ["follows a fork: bad at once", {}, { ...good, synced: false, reason: "otherChain" as const }, 0, 2000, "bad"],
    ["goes on, and is not synced: bad", {}, { ...good, synced: false }, 1, 40_000, "bad"],
    [
      "goes on where it was not synced before: good",
      { before: { synced: false, reason: "syncing" as const, currentHeight: 100 }, hasSlots: false },
      { ...good, synced: false },
      ...([0, 2000, "good"] as const),
    ],
    [
      "of a node that was too old has to be synced: bad",
      { before: { synced: false, reason: "oldVersion" as const, currentHeight: 100 } },
      { ...good, synced: false },
      ...([0, 40_000, "bad"] as const),
    ],
  ] as const)("that %s", (_, more, node, produced, waited, is) => {
    const judgement = judge({ ...options, ...more, node, produced, waited });
    expect(judgement === undefined ? "open" : judgement.isGood ? "good" : "bad").toBe(is);
  });
});

describe("the way back", () => {
  const main = "9".repeat(64);
  const rules = {
    mainNetwork: main,
    releases: "https://r.example",
    rows: [{ fromHeight: 1000, leastVersion: "v0.0.10", why: "the window", release: "https://r.example" }],
  };
  const facts = { before: "v0.0.8", height: 999, genesis: main, rules, sporks: [], isSynced: true };
  const spork = { id: "a".repeat(64), name: "dynamic plasma", enforcedFrom: 2000 };
  test.each([
    ["is there below the height of the table", {}, undefined],
    ["is not from that height on", { height: 1000 }, /^v0\.0\.10 or newer is required from height 1000 on/],
    ["is there on another network", { height: 1000, genesis: "8".repeat(64) }, undefined],
    ["is not to a version that nobody tells", { height: 1000, before: undefined }, /is required/],
    ["is there while a spork is only announced", { sporks: [{ id: spork.id, name: spork.name }] }, undefined],
    [
      "is not where an active spork is missing in it",
      { sporks: [spork] },
      /^the spork aaaaaaaa… is active, and v0\.0\.8 may not/,
    ],
    ["is not where that is ahead, of a version that is not known", { before: "v0.0.9", sporks: [spork] }, /is active/],
    [
      "is there where such a version is past it",
      { before: "v0.0.9", sporks: [spork], height: 2500, rules: undefined },
      undefined,
    ],
  ])("%s", (_, more, fault) => {
    const { before, height, genesis, rules: table, ...chain } = { ...facts, ...more };
    const gaps = table ? findVersionGaps({ version: before, genesis }, table, height, 0) : [];
    const due = gaps.filter(({ expectedAt }) => expectedAt === undefined);
    const found = wayBackFault({ before, height, gaps: due, ...chain });
    if (fault === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(fault);
  });
});

/** A host whose looks are these in turn, the last one for good. */
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
    wayBackFault: async () => undefined,
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
  test("swaps, judges, and tells the seconds without the node", async () => {
    const { run, did } = stage([none, atWork, answers, answers, end("done")]);
    expect(await run()).toEqual({ without: 2500 });
    expect(did).toContain("swap true");
    expect(did).toContain("judge good");
    expect(did.at(-1)).toBe("v0.0.10 runs, after 2.5 s without the node; before it: v0.0.8");
  });

  test("leaves what is installed alone, and waits for an earlier one that is at work", async () => {
    const { run, did } = stage([atWork, answers, "installed=yes\n"]);
    expect(await run()).toEqual({});
    expect(did).toEqual([]);
  });

  test("says before it begins that there is no way back over a fork", async () => {
    const { run, did } = stage([none, end("stuck", "its height has not moved")], {
      wayBackFault: async () => "v0.0.10 or newer is required",
    });
    await expect(run()).rejects.toThrow(
      "203.0.113.7: v0.0.10 of the node is not good, and stays: v0.0.8 would follow another chain\n  needed: a release that works, as pillar-host:node.release\n  found: its height has not moved\n",
    );
    const said = did.findIndex((line) =>
      line.startsWith("v0.0.8 can't be restored automatically, because it would follow another chain"),
    );
    expect(said).toBeGreaterThanOrEqual(0);
    expect(said).toBeLessThan(did.indexOf("swap false"));
  });

  test.each(["back", "off"])("that ends with %s says what was seen, and the command", async (stageOf) => {
    const { run } = stage([none, end(stageOf, "its RPC does not answer")]);
    await expect(run()).rejects.toThrow(
      /^203\.0\.113\.7: [\s\S]*\n {2}found: its RPC does not answer\n[\s\S]*Then: pulumi up -s prod/,
    );
  });

  test("that gives no end says where to look", async () => {
    const { run } = stage([none, atWork]);
    await expect(run()).rejects.toThrow(/the end of the node's upgrade is not seen\n[\s\S]*journalctl/);
  });

  test("waits for a time without a slot, and waits no more after two ticks", async () => {
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
    expect(free.did).toContain("no slot of the Pillar for 3 min: now");
    expect(now).toBeLessThan(200_000);
    now = 0;
    const late = stage([none, answers, end("done")], {
      ...clock,
      tick: async () => ({ ...pillars, now, produced: [] }),
    });
    await late.run();
    expect(late.did).toContain("no time without a slot came within 10 min: a momentum may be missed");
  });

  test("does not begin while a key generation is at work; says that a controller's Deploy replaced the program", async () => {
    const { run, did } = stage(["installed=v0.0.10\nreplaced=yes\n"], {
      waitForSigner: () => Promise.reject(new Error("a key generation")),
    });
    await expect(run()).rejects.toThrow("a key generation");
    expect(did[0]).toBe("somebody replaced the program of v0.0.10 that was installed, perhaps the controller's Deploy");
    expect(did.filter((line) => line.startsWith("swap"))).toEqual([]);
  });
});
