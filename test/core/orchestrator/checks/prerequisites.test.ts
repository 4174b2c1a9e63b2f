import { expect, test } from "vitest";
import type { BridgeNow } from "../../../../core/orchestrator/checks/bridgeState.ts";
import {
  findMoveProblems,
  formatMoveFaults,
  formatSurvey,
} from "../../../../core/orchestrator/checks/prerequisites.ts";
import { assumeSyncedNode } from "../../../../core/orchestrator/checks/rehearsal.ts";
import type { MoveSurvey, NewHost, OldHost, Requirements } from "../../../../core/orchestrator/checks/survey.ts";
import { listEndpoints } from "../../../../core/orchestrator/rules/endpoints.ts";
import { parseOrchestratorConfig } from "../../../../core/orchestrator/rules/orchestratorConfig.ts";
import { moveNamed } from "../../../moveNamed.ts";
import { parseWhole } from "../../host/printedFacts.ts";
import { exampleJournal, exampleMove, given, exampleRequirements as wanted } from "../exampleMove.ts";

const build = { version: "v0.0.9a", gitCommit: "abcdef12".repeat(5), goVersion: "go1.20.14" };
const home = "/root/.orchestrator";
const bridgeKey = "AsAQx1M3LVXCuozDOqO5b9adj/PItYgwZFG/xTDBiZzT";
const shareOf = (key: string) => `tss/localstate-${Buffer.from(key, "base64").toString("hex")}.json`;
const { move } = parseWhole(
  ["move"],
  [
    ...[
      "orchestrator.LoadState=loaded",
      "orchestrator.ActiveState=active",
      `share=${shareOf(bridgeKey).slice("tss/".length)}`,
    ],
    ...["directory=there", `real=${home}`, `works=${home}`, "user=root", "place.mount=/"],
    ...["bytes=50000000", "files=400", "place.size=99999999", "place.free=19531250"],
  ],
);
const facts: OldHost["facts"] = { ...move, journal: undefined };
const idle = { ...facts.unit, load: "not-found", active: "inactive" };
const laterKey = `A${bridgeKey.slice(1, -1)}U`;
const eth = { network: "Ethereum", old: "eth:443", new: "eth:443", isOwn: false };
const ownEth = { network: "Ethereum", old: "localhost:8545", new: "localhost:8545", isOwn: true };
const config = { dataPath: undefined, tssDir: undefined, keyStore: "producer", hasPassphrase: true, hasShare: true };
const oldSide = {
  facts,
  build: { value: build },
  status: { value: { state: 0, stateName: "live" } },
  identity: { value: { producer: "z1q", pillarName: "Anvil", tssPeerId: "12D", evmAddress: "0x" } },
  hasConfig: true,
  hasKeyStore: true,
  config,
  endpoints: [eth],
  reached: ["eth:443"],
};
const newSide = {
  facts: { ...facts, active: false, unit: idle, directory: "none", shares: [], bytes: 0, files: 0 },
  build: { problem: "it does not run" },
  shownKeys: ["ssh-rsa AAAA", wanted.hostKey],
  reached: ["eth:443"],
};
const survey = (
  changes: { old?: Partial<OldHost>; new?: Partial<NewHost>; node?: boolean; bridge?: BridgeNow; room?: number } = {},
): MoveSurvey => ({
  old: { value: { ...oldSide, ...changes.old } },
  new: { value: { ...newSide, ...changes.new } },
  node: { synced: changes.node ?? true, why: "state 1", known: true },
  bridge: changes.bridge ?? { known: true, state: 0, key: bridgeKey, why: "live" },
  room: changes.room ?? 1e12,
});
const oldFacts = (changes: Partial<OldHost["facts"]>) => survey({ old: { facts: { ...facts, ...changes } } });
const newFacts = (changes: Partial<OldHost["facts"]>) => survey({ new: { facts: { ...newSide.facts, ...changes } } });

const newBuild = (version: string) => survey({ new: { build: { value: { ...build, version } } } });
const oldConfig = (changes: Partial<OldHost["config"]>) => survey({ old: { config: { ...config, ...changes } } });
const inState = (state: number, stateName: string) => survey({ old: { status: { value: { state, stateName } } } });
const bridgeAt = (state: 0 | 1 | 2, key = bridgeKey): BridgeNow => ({ known: true, state, key, why: `chain ${state}` });
const endpoints = [eth, ownEth];
const reached = ["eth:443", "localhost:8545"];

test("sound hosts have no problem, and both versions are shown", () => {
  expect(findMoveProblems(survey(), wanted)).toEqual([]);
  expect(formatSurvey(survey(), wanted)).toEqual([
    "old host old: v0.0.9a (abcdef12), state: live, 400 files, 50 MB, key shares: 1",
    "new host new: v0.0.9a, 20.0 GB free",
  ]);
  const bare = survey({ old: { build: { value: { ...build, gitCommit: "" } } } });
  expect(findMoveProblems(bare, wanted)).toEqual([]);
  expect(formatSurvey(bare, wanted)[0]).toContain("old host old: v0.0.9a (no commit), state: live");
});

const damaged = { ...survey(), old: { problem: "old: a damaged journal", kind: "unreadableJournal" as const } };
test.each<[string, MoveSurvey, string, string, Partial<Requirements>?]>([
  [
    "the service stopped",
    oldFacts({ unit: { ...facts.unit, active: "inactive" } }),
    "old: * does not run (orchestrator)",
    "loaded, inactive",
  ],
  [
    "no service",
    oldFacts({ unit: { ...facts.unit, active: "", load: "" } }),
    "old: * does not run (orch",
    "oldHost.orchestrator.service NAME",
  ],
  ["another process", oldFacts({ process: "p" }), "old: * is not called orch", "oldHost.orchestrator.executable p"],
  ["no answer", survey({ old: { build: { problem: "silent" } } }), "old: * no good answer", "found: silent"],
  ["no status", survey({ old: { status: { problem: "frozen" } } }), "old: * no good answer", "found: frozen"],
  ["a key generation", inState(1, "keyGen"), "old: * key generation is at work", "would lose the new key"],
  ["an emergency", inState(3, "emergency"), "old: * is not live", "state 3 (emergency), by getStatus"],
  ["a halted bridge", inState(2, "halted"), "old: * is halted", "haltedBridge 1 -s prod"],
  ["a halt that getStatus lacks", survey({ bridge: bridgeAt(2) }), "the * is halted", "found: chain 2"],
  ["a halt by both", { ...inState(2, "halted"), bridge: bridgeAt(2) }, "old: * is halted", "found: state 2 (halted)"],
  ["a new key generation", survey({ bridge: bridgeAt(1) }), "the bridge's key *", "chain 1", { haltedBridge: given }],
  ["a damaged file", survey({ old: { hasConfig: false } }), "old: files *damaged", "found: config.json: missing"],
  ["no key store", survey({ old: { hasKeyStore: false } }), "old: files *damaged", "no producer key store producer"],
  ["no key share", oldFacts({ shares: [] }), "old: * has no share", "noKeyShare 1"],
  ["no share at work", oldConfig({ hasShare: false }), "old: * has no share", "an empty TssConfig.PublicKey"],
  ["a file", oldFacts({ directory: "no directory" }), "old: * not the orchestrator's directory", "found: a file"],
  ["a link", oldFacts({ directory: "link", real: "/d" }), "old: * not the orchestrator's dir", "&& mv /d /root/"],
  [
    "another home",
    oldFacts({ works: "/o" }),
    "old: * not the orchestrator's directory",
    "oldHost.orchestrator.directory /o",
  ],
  ["missing tools", oldFacts({ lacks: ["tar", "xargs"] }), "old: tools are missing on the host", "tar, xargs"],
  ["a typed pass phrase", oldConfig({ hasPassphrase: false }), "old: the pass phrase *", "nobody can type it"],
  ["another DataPath", oldConfig({ dataPath: "/data" }), "old: config.json names places *", "DataPath /data"],
  ["another BaseDir", oldConfig({ tssDir: "/root" }), "old: config.json names places *", "TssConfig.BaseDir /root"],
  ["a store elsewhere", oldConfig({ keyStore: "../p" }), "old: config.json names places *", 'KeyFileName "../p"'],
  [
    "a strange share",
    newFacts({ shares: facts.shares, directory: "there" }),
    "new: * is in the way",
    ".orchestrator.aside",
  ],
  ["a link there", newFacts({ directory: "link", real: "/d" }), "new: * is in the way", "a link to /d"],
  ["modes that are not copied", oldFacts({ special: 2 }), "old: files * have modes", "2 with setuid"],
  ["another user", oldFacts({ user: "op" }), "old: * another user than root", "chown -R root: /root/.orchestrator"],
  ["a full disk", newFacts({ free: 1e6 }), "new: the disk has no room", "1 MB free at /"],
  ["few inodes", newFacts({ inodes: 499 }), "new: the disk has no room", "GB and 499 inodes free at /"],
  ["no ssh", survey({ new: { shownKeys: [] } }), "new: * the old one's ssh at old:22", "Allow new to TCP port 22"],
  ["another key", survey({ new: { shownKeys: ["ssh-ed25519 O"] } }), "new: * old one's ssh", "ssh-ed25519 O\n"],
  ["no way to a node", survey({ new: { reached: [] } }), "new: * does not reach nodes", "nc -vz eth 443"],
  ["no node here", survey({ old: { endpoints, reached } }), "new: * does not reach nodes", "install such a node"],
  ["an older release", survey(), "new: * is older", "v0.0.9 on the new host", { release: { version: "v0.0.9" } }],
  ["an older one that runs", newBuild("v0.0.8"), "new: * is older", "v0.0.8 on the new host", { release: undefined }],
  ["nothing to install", survey(), "new: * is not installed", "release.url URL", { release: undefined }],
  ["a node that syncs", survey({ node: false }), "new: the node is not synced now", "found: state 1"],
  ["no room here", survey({ room: 1e6 }), "this machine has no room for the backup", "1 MB free at /b"],
  ["a restore beside it", survey(), "old: this host answers*", "rm --path", { restoreFrom: "/b" }],
  ["one beside a damaged journal", damaged, "old: this host answers*", "rm --path", { restoreFrom: "/b" }],
])("reports only: %s", (_what, found, what, detail, changes = {}) => {
  const faults = findMoveProblems(found, { ...wanted, ...changes });
  expect(faults).toHaveLength(1);
  for (const part of what.split("*")) expect(faults[0]?.split("\n")[0]).toContain(part);
  expect(faults[0]).toContain(detail);
  expect(faults[0]).toMatch(/\n {2}needed: .+/);
});

test("unreachable hosts hide no other problem", () => {
  const found: MoveSurvey = {
    old: { problem: "old refuses" },
    new: { problem: "new refuses" },
    node: { synced: false, why: "w", known: false },
    bridge: { known: false, why: "w" },
    room: 0,
  };
  const faults = findMoveProblems(found, wanted);
  expect(faults.map((fault) => fault.split("\n")[0])).toEqual([
    "old: the old host can't be read",
    "new: the new host can't be read",
    "new: the node is not synced now",
    "this machine has no room for the backup",
  ]);
  expect(faults[0]).toContain(
    "\n  found: old refuses\n  needed: a running host that accepts a login of root, or of a user with sudo (pillar-host:oldHost)\n  See it with: ssh -v old, as the user and on the port of pillar-host:oldHost",
  );
  expect(formatMoveFaults(["a\n  found: b", "c"], wanted)).toMatch(
    /2 things stand in the way:\n- a\n {4}found: b\n- c\n {2}Then: pulumi up -s prod$/,
  );
});

test("a share of another key than the bridge's is a problem that names the found file and the needed one", () => {
  const later = survey({ bridge: bridgeAt(0, laterKey) });
  expect(findMoveProblems(later, wanted)).toEqual([
    [
      "old: the orchestrator has no share of the bridge's present key, and signs nothing",
      `  found: ${shareOf(bridgeKey)}`,
      `  needed: ${shareOf(laterKey)}, of the key ${laterKey} that the chain names. Set pillar-host:oldHost to the host whose orchestrator took part in the last key generation, or wait for the next one`,
      "  Is this orchestrator to move without a share? pulumi config set --path pillar-host:orchestrator.noKeyShare 1 -s prod",
    ].join("\n"),
  ]);
  for (const each of [later, oldFacts({ shares: [] })])
    expect(findMoveProblems(each, { ...wanted, noKeyShare: given })).toEqual([]);
  const both = {
    ...oldFacts({ shares: [shareOf(laterKey), shareOf(bridgeKey)] }),
    bridge: bridgeAt(0, laterKey),
  };
  expect(findMoveProblems(both, wanted)).toEqual([]);
  const silent = {
    ...oldFacts({ shares: [shareOf(laterKey)] }),
    bridge: { known: false, why: "error -32601" },
  } as const;
  expect(findMoveProblems(silent, wanted)).toEqual([]);
  expect(formatSurvey(silent, wanted).slice(-2)).toEqual([
    "no node tells the bridge's key, so the key share could not be compared with it",
    "no node tells the bridge's state, so the orchestrator's own getStatus decides: error -32601",
  ]);
});

test("reports variables of the old unit that the new one lacks, with what to write, and lets a move without any pass", () => {
  const variables = (names: readonly string[]) => new Map(names.map((name) => [name, "hash"]));
  const both = (old: string[], fresh: string[]) =>
    survey({
      old: { facts: { ...facts, environment: variables(old) } },
      new: { facts: { ...newSide.facts, environment: variables(fresh) } },
    });
  expect(findMoveProblems(both(["A", "KEY_PASS", "B"], ["B", "C"]), wanted)).toEqual([
    [
      "new: the orchestrator's unit lacks variables of the old host's unit",
      "  found: no A, no KEY_PASS",
      "  needed: the same ones, by your hand, because they may be secrets; an empty value for one that is of no use here",
      "  On new: install -D -m 600 /dev/null /etc/systemd/system/orchestrator.service.d/environment.conf, and write there:",
      "    [Service]",
      '    Environment="A=VALUE"',
      '    Environment="KEY_PASS=VALUE"',
    ].join("\n"),
  ]);
  expect(findMoveProblems(both(["A"], ["A"]), wanted)).toEqual([]);
});

test("names variables whose values differ, and says nothing of one that is empty on the new host", () => {
  const words = (old: Record<string, string>, fresh: Record<string, string>) => {
    const both = survey({
      old: { facts: { ...facts, environment: new Map(Object.entries(old)) } },
      new: { facts: { ...newSide.facts, environment: new Map(Object.entries(fresh)) } },
    });
    expect(findMoveProblems(both, wanted)).toEqual([]);
    return formatSurvey(both, wanted).filter((line) => line.includes("another value"));
  };
  expect(words({ A: "1", B: "2", C: "3", D: "" }, { A: "1", B: "x", C: "", D: "y" })).toEqual([
    "its unit has another value than the old host's for B, D",
  ]);
  expect(words({ A: "1" }, { A: "1", B: "2" })).toEqual([]);
});

test("reports an sshd that forbids the way to the orchestrator in its own words, and gives no advice about the orchestrator", () => {
  const forbidden = { problem: "old: its sshd forbids it\n  needed: AllowTcpForwarding", kind: "forbidden" as const };
  const found = survey({ old: { build: forbidden, status: forbidden } });
  expect(findMoveProblems(found, wanted)).toEqual([forbidden.problem]);
});

test("reports a start that the old host does not know of, unless the operator confirms a later move by hand", () => {
  const later = { ...wanted, known: { generation: 2, started: 2, move: moveNamed("pillar-host/prod-2/Anvil/1") } };
  expect(findMoveProblems(survey(), later)).toEqual([
    "old: this host does not know of this orchestrator's last start\n  found: no journal\n" +
      "  needed: the host that the orchestrator is on now, with generation 2 (pillar-host/prod-2/Anvil/1). Was this one restored from a snapshot, or installed anew?\n" +
      "  You brought it here yourself, and the orchestrator can start nowhere else (docs/orchestrator.md)? pulumi config set --path pillar-host:orchestrator.laterThanMove 2 -s prod && pulumi up -s prod",
  ]);
  const written = (generation: number) => oldFacts({ journal: exampleJournal("old", "restored", { generation }) });
  const copied = (generation: number) => newFacts({ journal: exampleJournal("new", "staging", { generation }) });
  for (const each of [copied(2), written(2)]) expect(findMoveProblems(each, later)).toEqual([]);
  expect(findMoveProblems(copied(1), later)[0]).toContain("does not know of this orchestrator's last start");
  expect(findMoveProblems(written(1), later)[0]).toContain("found: generation 1\n");
  expect(findMoveProblems(survey(), { ...later, laterThanMove: 2 })).toEqual([]);
});

test("reports an event log that is behind a host, and an unknown orchestrator, unless the operator confirms", () => {
  const none = { ...wanted, known: { generation: 0, started: 0 } };
  expect(findMoveProblems(survey(), none)[0]).toMatch(
    /^no move of this orchestrator is known.*\n {2}found: generation 0 on a host, 0 in the event log\n.*\n.*firstMove acknowledged -s prod && pulumi up -s prod$/,
  );
  expect(findMoveProblems(survey(), { ...none, firstMove: true })).toEqual([]);
  const known = { ...none, known: { generation: 1, started: 0 } };
  expect(findMoveProblems(survey(), known)).toEqual([]);
  for (const facts of [oldFacts, newFacts]) {
    const ahead = facts({ journal: exampleJournal("old", "restored", { generation: 2 }) });
    expect(findMoveProblems(ahead, { ...known, firstMove: true })[0]).toMatch(
      /^the event log has fewer moves .*\n {2}found: generation 2 on a host, 1 in the event log\n.*\n.*laterThanMove 2 -s prod && pulumi up -s prod$/,
    );
    expect(findMoveProblems(ahead, { ...known, laterThanMove: 2 })).toEqual([]);
  }
});

const places = { dataPath: "/root/.orchestrator/", tssDir: "/root/.orchestrator/tss" };
const linked = { ...facts, real: "/data/root/.orchestrator", works: "/data/root/.orchestrator" };
const ofMove = (pillar: string) => {
  const journal = exampleJournal("new", "running", { move: { ...exampleMove, pillar } });
  return newFacts({ shares: facts.shares, directory: "there", journal });
};
test.each<[string, MoveSurvey, number, Partial<Requirements>?]>([
  ["a build without getStatus", survey({ old: { status: { value: undefined } } }), 0],
  ["a halt that is acknowledged", inState(2, "x"), 0, { haltedBridge: given }],
  ["a halt on the chain that is acknowledged", survey({ bridge: bridgeAt(2) }), 0, { haltedBridge: given }],
  ["no key generation, whatever is acknowledged", inState(1, "x"), 1, { haltedBridge: given }],
  ["no emergency, whatever is acknowledged", inState(3, "x"), 1, { haltedBridge: given }],
  ["this move's own share", ofMove("Anvil"), 0],
  ["no other Pillar's share", ofMove("Bell"), 1],
  ["the orchestrator's own places", oldConfig(places), 0],
  ["real paths below a linked directory", survey({ old: { facts: linked, config: { ...config, ...places } } }), 0],
  ["no release beside an executable", newFacts({ hasExecutable: true }), 0, { release: undefined }],
])("accepts %s", (_what, found, problems, changes = {}) => {
  expect(findMoveProblems(found, { ...wanted, ...changes })).toHaveLength(problems);
});

test("before the stand-up, only the new host's own node may be missing", () => {
  const node = { network: "Zenon", old: "127.0.0.1:35998", new: "127.0.0.1:35998", isOwn: true };
  const old = { endpoints: [eth, node, ownEth], reached: [...reached, "127.0.0.1:35998"] };
  const bare = survey({ old, node: false });
  expect(findMoveProblems(bare, wanted).join("\n")).toContain("no connection to 127.0.0.1:35998 (Zenon)");
  const rehearsed = findMoveProblems(assumeSyncedNode(bare), wanted);
  expect(rehearsed).toHaveLength(1);
  expect(rehearsed[0]).toContain("no connection to localhost:8545 (Ethereum); the old host has one\n  needed");
});

test("lists endpoints as host and port without access keys, and marks the host's own", () => {
  const Networks = {
    Ethereum: { Urls: ["wss://eth.example/v3/s3cret", "http://plain.example"] },
    Zenon: { Urls: ["ws://127.0.0.1:35998", "ws://198.51.100.7:35998", "no url"] },
    "BNB Chain": { Urls: ["ws://u:p@bnb.example:8546/x", "ws://localhost:8545", "ws://[2001:db8::7]:1/k"] },
  };
  const endpoint = (network: string, old: string, isOwn = false, fresh = old) => ({ network, old, new: fresh, isOwn });
  expect(listEndpoints({ Networks }, ["198.51.100.7", "2001:db8::7"])).toEqual([
    endpoint("Ethereum", "eth.example:443"),
    endpoint("Ethereum", "plain.example:80"),
    endpoint("Zenon", "127.0.0.1:35998", true),
    endpoint("Zenon", "198.51.100.7:35998", true, "127.0.0.1:35998"),
    endpoint("BNB Chain", "bnb.example:8546"),
    endpoint("BNB Chain", "localhost:8545", true),
    endpoint("BNB Chain", "2001:db8::7:1", true, "127.0.0.1:1"),
  ]);
  for (const odd of [{}, { Networks: null }, { Networks: { A: null, B: { Urls: "x" } } }])
    expect(listEndpoints(odd, [])).toEqual([]);
});

test("reads the configuration's paths and none of its secrets", () => {
  const tss = { BaseDir: "/o/tss", PublicKey: "A81a" };
  const json = { DataPath: "/o", ProducerKeyFileName: "key", ProducerKeyFilePassphrase: "hunter2", TssConfig: tss };
  const parsed = { dataPath: "/o", tssDir: "/o/tss", keyStore: "key", hasPassphrase: true, hasShare: true };
  expect(parseOrchestratorConfig(json)).toEqual(parsed);
  for (const odd of [{}, { TssConfig: null }, { TssConfig: 1, DataPath: 2, ProducerKeyFileName: "" }])
    expect(parseOrchestratorConfig(odd)).toEqual({ keyStore: "producer", hasPassphrase: false, hasShare: false });
});
