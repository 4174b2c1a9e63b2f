import { expect, test } from "vitest";
import { type UpgradeDeps, upgradeNode } from "../../../core/upgrade/upgrade.ts";

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
    waitForOrchestrator: async () => undefined,
    say: (line) => void did.push(line),
    ...more,
  };
  const network = { momentum: 10_000, tickMomentums: 30 };
  const options = { stack: "prod", address: "203.0.113.7", version: "v0.0.10", network };
  return { did, run: () => upgradeNode(options, deps) };
}
const none = "producer=z1q\n";
const atWork = "atWork=yes\n";
const answers = "atWork=yes\nwithout=2500\n";
const end = (stageOf: string, why = "") => `stage=${stageOf}\nwhy=${why}\nwithout=2500\n`;

test("an upgrade swaps, judges, and reports the seconds without the node", async () => {
  const { run, did } = stage([none, atWork, answers, answers, end("done")]);
  expect(await run()).toEqual({ without: 2500 });
  expect(did).toContain("swap true");
  expect(did).toContain("judge good");
  expect(did.at(-1)).toBe("v0.0.10 runs now instead of v0.0.8; the node was down for 2.5 s");
});

test("an upgrade waits for its peers for minutes, and says so", async () => {
  let now = 0;
  const peers = () => Math.floor(now / 30_000);
  const fewPeers = () =>
    ({ synced: false, known: true, reason: "fewPeers", why: `not enough peers (${peers()})` }) as const;
  const { run, did } = stage([none, atWork, ...Array(500).fill(answers), end("done")], {
    ticks: () => now,
    sleep: async (ms) => {
      now += ms;
    },
    node: async () =>
      now > 0 && peers() < 8
        ? { ...fewPeers(), currentHeight: 100 }
        : { synced: true, known: true, why: "synced", currentHeight: 100 + now / 1000 },
  });
  expect(await run()).toEqual({ without: 240_000 });
  expect(did).toContain("v0.0.10 is not judged yet: not enough peers (1)");
  expect(did.filter((line) => line.includes("not judged yet")).length).toBe(7);
  expect(did).toContain("judge good");
  expect(did.at(-1)).toMatch(/the node was down for 2\.5 s, and synced after 240\.0 s$/);
});

test("an upgrade waits longer while the new version reads its database, and says how far it is", async () => {
  const reading = Array.from({ length: 99 }, (_, at) => Array(120).fill(`${atWork}opening=${at}\n`)).flat();
  const { run, did } = stage([none, ...reading, answers, end("done")]);
  // An hour and a half. The next upgrade does not read the database again.
  expect(await run()).toEqual({});
  expect(did).toContain("v0.0.10 is not judged yet: it reads its database before it answers: 50 %");
  expect(did).toContain("judge good");
});

test("only the run that judges an upgrade tells the host that it looks", async () => {
  const looks: (object | undefined)[] = [];
  const answer = [answers, none, answers, end("done")];
  const { run } = stage([], {
    host: async (name, given) => {
      if (name !== "look") return name === "fetch" ? "fetched\n" : "";
      looks.push(given);
      return answer.shift() ?? "";
    },
  });
  await run();
  expect(looks).toEqual([undefined, undefined, { judges: true }, { judges: true }]);
});

test("an upgrade that could not replace the program says that the old version runs on", async () => {
  const { run } = stage([none, end("kept", "/usr/local/bin/znnd can't be replaced: Operation not permitted")]);
  await expect(run()).rejects.toThrow(
    /^203\.0\.113\.7: v0\.0\.10 of the node was not installed, and v0\.0\.8 runs on\n {2}found: .*not permitted\n {2}Then: pulumi up/,
  );
});

test("a retired host is not upgraded", async () => {
  const { run, did } = stage(["retired=2026-11-01T00:00:00Z\n"]);
  expect(await run()).toEqual({});
  expect(did).toEqual(["this host's node was shut down for good at 2026-11-01T00:00:00Z: it is not upgraded"]);
});

test("a version that stayed without a proof is named in the next run", async () => {
  const { run, did } = stage([`${end("stuck", "not enough peers (6)")}installed=yes\n`]);
  expect(await run()).toEqual({});
  expect(did).toEqual(["v0.0.10 stayed, although it was not proved good: not enough peers (6)"]);
});

test("an upgrade waits for an active upgrade, and does nothing if the version is installed", async () => {
  const { run, did } = stage([atWork, answers, "installed=yes\n"]);
  expect(await run()).toEqual({});
  expect(did).toEqual([]);
});

test("an upgrade says before it begins that a rollback over a fork is impossible", async () => {
  const findRollbackFault = async () => "v0.0.10 or newer is required";
  const { run, did } = stage([none, end("stuck", "the height has not grown")], { findRollbackFault });
  await expect(run()).rejects.toThrow(
    "203.0.113.7: v0.0.10 of the node is not good, and stays: v0.0.8 would follow another chain\n  found: the height has not grown\n  needed: see whether it recovers: ./pillar-host status prod. If it does not, set pillar-host:node.release to a release that works\n",
  );
  const words = "v0.0.8 can't be restored automatically, because it would follow another chain";
  const said = did.findIndex((line) => line.startsWith(words));
  expect(said).toBeGreaterThanOrEqual(0);
  expect(said).toBeLessThan(did.indexOf("swap false"));
});

test.each(["back", "off"])("an upgrade reports the reason and the command if it ends with %s", async (stageOf) => {
  const { run } = stage([none, end(stageOf, "its RPC does not answer")]);
  const said = /^203\.0\.113\.7: [\s\S]*\n {2}found: its RPC does not answer\n[\s\S]*Then: pulumi up -s prod/;
  await expect(run()).rejects.toThrow(said);
});

test("an upgrade names the log if it does not end", async () => {
  const { run } = stage([none, atWork]);
  await expect(run()).rejects.toThrow(/the node's upgrade did not end\n[\s\S]*journalctl/);
});

test.each([
  ["the Pillar has no slot for 3 min: upgrading now", 200_000, [100_000]],
  ["no time without a slot came within 10 min: upgrading now, a momentum may be missed", 700_000, []],
])("an upgrade waits for a time without a slot, at most two ticks: %s", async (words, latest, produced) => {
  let now = 0;
  const { did, run } = stage([none, answers, end("done")], {
    ticks: () => now,
    sleep: async (ms) => {
      now += ms;
    },
    tick: async () => ({ genesis: 0, pillars: 100, now, produced: produced.filter((at) => at <= now) }),
  });
  await run();
  expect(did).toContain(words);
  expect(now).toBeLessThan(latest);
});

test("an upgrade does not begin during a key generation, and reports a replaced program", async () => {
  const waitForOrchestrator = () => Promise.reject(new Error("a key generation"));
  const { run, did } = stage(["installed=v0.0.10\nreplaced=yes\n"], { waitForOrchestrator });
  await expect(run()).rejects.toThrow("a key generation");
  expect(did[0]).toMatch(/^the installed node program, v0\.0\.10, was replaced by somebody, perhaps by the/);
  expect(did.filter((line) => line.startsWith("swap"))).toEqual([]);
});
