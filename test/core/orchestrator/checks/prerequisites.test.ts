import { describe, expect, test } from "vitest";
import { formatMove } from "../../../../core/eventLog/moveId";
import type { BridgeNow } from "../../../../core/orchestrator/checks/bridgeState";
import { formatSurvey } from "../../../../core/orchestrator/checks/moveSummary";
import type { MoveSurvey, NewSide, OldSide, Requirements } from "../../../../core/orchestrator/checks/moveSurvey";
import { findMoveProblems } from "../../../../core/orchestrator/checks/prerequisites";
import { assumeSyncedNode } from "../../../../core/orchestrator/checks/rehearsal";
import { isUsed, listEndpoints } from "../../../../core/orchestrator/rules/endpoints";
import { type OrchestratorFacts, parseFacts } from "../../../../core/orchestrator/rules/hostPairFacts";
import { hasBegun, isOwn } from "../../../../core/orchestrator/rules/journal";
import { parseOrchestratorConfig } from "../../../../core/orchestrator/rules/orchestratorConfigFile";
import { moveNamed } from "../../../moveNamed";

const hostKey = "ssh-ed25519 KEY";
const build = { version: "v0.0.9a", gitCommit: "abcdef12".repeat(5), goVersion: "go1.20.14" };
const facts: OrchestratorFacts = {
  load: "loaded",
  active: "active",
  directory: "there",
  real: "/root/.orchestrator",
  bytes: 50_000_000,
  files: 400,
  shares: 1,
  free: 20e9,
  inodes: 1e6,
  mount: "/",
  hasNodeKey: true,
  hasExecutable: false,
  lacks: [] as string[],
  environment: [],
  user: "root",
  works: "/root/.orchestrator",
};
const place = {
  service: "orchestrator",
  directory: "/root/.orchestrator",
  executable: "orchestrator",
  nodeDirectory: "/root/.znn",
  rpcPort: 55000,
};
const wanted: Requirements = {
  stack: "prod",
  move: moveNamed("pillar-host/prod/Anvil/1"),
  old: { ...place, address: "old" },
  new: { ...place, address: "new" },
  copyAddress: "old",
  sshPort: 22,
  hostKey,
  noKeyShare: false,
  haltedBridge: false,
  backupDirectory: "/b",
  backups: { directory: "/b" },
  sshUser: "root",
  release: { version: "v0.0.9a" },
};
const bridgeKey = "AsAQx1M3LVXCuozDOqO5b9adj/PItYgwZFG/xTDBiZzT";
const shareOf = (key: string) => `tss/localstate-${Buffer.from(key, "base64").toString("hex")}.json`;
const laterKey = `A${bridgeKey.slice(1, -1)}U`;
const eth = { network: "Ethereum", old: "eth:443", new: "eth:443", isOwn: false };
const ownEth = { network: "Ethereum", old: "localhost:8545", new: "localhost:8545", isOwn: true };
const config = { keyStore: "producer", hasPassphrase: true, hasShare: true };
const oldSide = {
  facts,
  build: { value: build },
  status: { value: { state: 0, stateName: "live" } },
  identity: { value: { producer: "z1q", pillarName: "Anvil", tssPeerId: "12D", evmAddress: "0x" } },
  damaged: [] as string[],
  hasKeyStore: true,
  config,
  endpoints: [eth],
  reached: ["eth:443"],
  shares: [shareOf(bridgeKey)],
};
const newSide = {
  facts: { ...facts, active: "inactive", load: "not-found", directory: "none", shares: 0, bytes: 0, files: 0 },
  build: { problem: "it does not run" },
  scan: { kind: "keys", keys: ["ssh-rsa AAAA", hostKey] } as const,
  reached: ["eth:443"],
};
const survey = (
  changes: { old?: Partial<OldSide>; new?: Partial<NewSide>; node?: boolean; bridge?: BridgeNow; room?: number } = {},
): MoveSurvey => ({
  old: { value: { ...oldSide, ...changes.old } },
  new: { value: { ...newSide, ...changes.new } },
  node: { synced: changes.node ?? true, why: "state 1", known: true },
  bridge: changes.bridge ?? { known: true, state: 0, key: bridgeKey, why: "live" },
  room: changes.room ?? 1e12,
});
const oldFacts = (changes: Partial<OrchestratorFacts>) => survey({ old: { facts: { ...facts, ...changes } } });
const newFacts = (changes: Partial<OrchestratorFacts>) => survey({ new: { facts: { ...newSide.facts, ...changes } } });
const journal = (move: string, stage: string) => JSON.stringify({ move, stage });

describe("a key share of another key than the bridge's", () => {
  const later = survey({ bridge: { known: true, state: 0, key: laterKey, why: "live" } });

  test("is a problem that names the found file and the needed one", () => {
    expect(findMoveProblems(later, wanted)).toEqual([
      [
        "old: the orchestrator has no share of the bridge's present key, and signs nothing",
        `  found: ${shareOf(bridgeKey)}`,
        `  needed: ${shareOf(laterKey)}, of the key ${laterKey} that the chain names. Set pillar-host:orchestrator.migrateFrom to the host whose orchestrator took part in the last key generation, or wait for the next key generation`,
        "  Is this orchestrator to move without a share? pulumi config set --path pillar-host:orchestrator.migrateFrom.noKeyShare acknowledged -s prod",
      ].join("\n"),
    ]);
    expect(findMoveProblems(later, { ...wanted, noKeyShare: true })).toEqual([]);
  });

  test("is no problem beside a fitting share, or if the bridge's key is unknown", () => {
    const both = survey({ old: { shares: [shareOf(laterKey), shareOf(bridgeKey)] }, bridge: later.bridge });
    expect(findMoveProblems(both, wanted)).toEqual([]);
    const silent = survey({ old: { shares: [shareOf(laterKey)] }, bridge: { known: false, why: "no node" } });
    expect(findMoveProblems(silent, wanted)).toEqual([]);
    expect(formatSurvey(silent, wanted)).toContain(
      "no node tells the bridge's key, so the old host's key share could not be compared with it",
    );
  });
});

describe("prerequisites", () => {
  test("sound hosts have no problem, and both versions are shown", () => {
    expect(findMoveProblems(survey(), wanted)).toEqual([]);
    expect(formatSurvey(survey(), wanted)).toEqual([
      "old host old: v0.0.9a (abcdef12), state: live, 400 files, 50 MB, key shares: 1",
      "new host new: v0.0.9a, 20.0 GB free",
      "old host signs for Pillar Anvil",
    ]);
    const silent = survey({ bridge: { known: false, why: "the node of new: error -32601" } });
    expect(findMoveProblems(silent, wanted)).toEqual([]);
    expect(formatSurvey(silent, wanted).at(-1)).toBe(
      "no node tells the bridge's state, so the orchestrator's own getStatus decides: the node of new: error -32601",
    );
    const bare = survey({ old: { build: { value: { ...build, gitCommit: "" } } } });
    expect(findMoveProblems(bare, wanted)).toEqual([]);
    expect(formatSurvey(bare, wanted)[0]).toContain("old host old: v0.0.9a (no commit), state: live");
    const moved = { producer: "z1q", pillarName: "notFound", tssPeerId: "12D", evmAddress: "0x" };
    expect(formatSurvey(survey({ old: { identity: { value: moved } } }), wanted).at(-1)).toBe(
      "old host: no Pillar has the orchestrator's producer key any more; the orchestrator signs until the next key generation, not after it",
    );
  });

  test.each<[string, MoveSurvey, string, string, Partial<Requirements>?]>([
    ["the service stopped", oldFacts({ active: "inactive" }), "old: the orchestrator does not run", "found: inactive"],
    [
      "the service masked",
      oldFacts({ active: "inactive", load: "masked" }),
      "old: the orchestrator does not run",
      "found: masked",
    ],
    [
      "no service",
      oldFacts({ load: "not-found" }),
      "old: there is no service orchestrator",
      "orchestrator.migrateFrom.service NAME",
    ],
    [
      "a process of another name",
      oldFacts({ process: "bridge-signer" }),
      "old: the process of orchestrator is not called orchestrator",
      "found: bridge-signer",
    ],
    [
      "no answer",
      survey({ old: { build: { problem: "nothing listens" } } }),
      "old: the orchestrator gives no good answer to getBuildInfo on 127.0.0.1:55000",
      "found: nothing listens",
    ],
    [
      "a key generation",
      survey({ old: { status: { value: { state: 1, stateName: "keyGen" } } } }),
      "old: a key generation is at work",
      "stopping now would lose the key share",
    ],
    [
      "a halted bridge",
      survey({ old: { status: { value: { state: 2, stateName: "halted" } } } }),
      "old: the orchestrator is not live\n  found: state 2 (halted)",
      "pulumi config set --path pillar-host:orchestrator.migrateFrom.haltedBridge acknowledged -s prod",
    ],
    [
      "a bridge that was halted just now: getStatus does not tell yet",
      survey({ bridge: { known: true, state: 2, key: bridgeKey, why: "the node of new says: the bridge is halted" } }),
      "the bridge is halted\n  found: the node of new says: the bridge is halted\n  needed: a live bridge",
      "pulumi config set --path pillar-host:orchestrator.migrateFrom.haltedBridge acknowledged -s prod",
    ],
    [
      "a key generation that has just begun, whatever is acknowledged",
      survey({ bridge: { known: true, state: 1, key: bridgeKey, why: "allowKeyGen" } }),
      "the bridge's key generation is at work\n  found: allowKeyGen",
      "stopping now would lose the key share",
      { haltedBridge: true },
    ],
    [
      "a halted bridge, by both",
      survey({
        old: { status: { value: { state: 2, stateName: "halted" } } },
        bridge: { known: true, state: 2, key: bridgeKey, why: "halted" },
      }),
      "old: the orchestrator is not live\n  found: state 2 (halted)",
      "haltedBridge acknowledged -s prod",
    ],
    [
      "no status although the build has it",
      survey({ old: { status: { problem: "frozen" } } }),
      "old: the orchestrator does not say whether a key generation is at work",
      "found: frozen",
    ],
    [
      "a damaged configuration",
      survey({ old: { damaged: ["config.json"], config: parseOrchestratorConfig({}) } }),
      "old: /root/.orchestrator/config.json is not whole",
      "journalctl",
    ],
    [
      "no key store",
      survey({ old: { hasKeyStore: false } }),
      "old: the orchestrator's producer key store is not in /root/.orchestrator",
      "config.json tells",
    ],
    [
      "modes that are not copied",
      oldFacts({ special: 2 }),
      "old: files in /root/.orchestrator have modes that are not copied to another host",
      "2 with setuid, setgid or the sticky bit",
    ],
    [
      "no key share",
      oldFacts({ shares: 0 }),
      "old: there is no key share (tss/localstate-*.json)",
      "noKeyShare acknowledged",
    ],
    [
      "no directory",
      oldFacts({ directory: "none", works: "/home/op/.orchestrator" }),
      "old: /root/.orchestrator is not the orchestrator's directory",
      "migrateFrom.directory /home/op/.orchestrator",
    ],
    [
      "a linked directory",
      oldFacts({ directory: "link", real: "/data/o" }),
      "old: /root/.orchestrator is not the orchestrator's directory",
      "rm /root/.orchestrator && mv /data/o /root/.orchestrator",
    ],
    ["missing tools", oldFacts({ lacks: ["tar", "xargs"] }), "old: tools are missing on the host", "no tar, no xargs"],
    [
      "a stranger's key share",
      newFacts({ shares: 1, directory: "there" }),
      "new: there is a key share in /root/.orchestrator already",
      "this program overwrites none",
    ],
    ["a full disk", newFacts({ free: 1e6 }), "new: the disk has no room", "1 MB and 1000000 files free at /"],
    ["no inodes", newFacts({ inodes: 100 }), "new: the disk has no room", "100 files free"],
    [
      "no way to the old ssh",
      survey({ new: { scan: { kind: "noConnection" } } }),
      "new: the new host does not reach the old one's ssh",
      "Allow new to TCP port 22 of the old host",
    ],
    [
      "another host's key",
      survey({ new: { scan: { kind: "keys", keys: ["ssh-ed25519 OTHER"] } } }),
      "old:22 shows the new host another ssh key",
      "found: ssh-ed25519 OTHER",
    ],
    [
      "no way to a chain's node",
      survey({ new: { reached: [] } }),
      "new: the new host does not reach nodes that the orchestrator uses",
      "no connection to eth:443; the old host has one",
    ],
    [
      "a chain's node on the old host itself",
      survey({ old: { endpoints: [eth, ownEth], reached: ["eth:443", "localhost:8545"] } }),
      "new: config.json names nodes on the orchestrator's own host, and the new host lacks them\n  found: nothing at localhost:8545 for Ethereum",
      "name another one in Networks, Ethereum, Urls of /root/.orchestrator/config.json, then systemctl restart orchestrator",
    ],
    [
      "another user than root",
      oldFacts({ user: "signer" }),
      "old: the orchestrator runs as another user than root\n  found: signer",
      "chown -R root: /root/.orchestrator",
    ],
    [
      "another home",
      oldFacts({ works: "/home/op/.orchestrator" }),
      "old: the orchestrator works in another directory than /root/.orchestrator\n  found: /home/op/.orchestrator",
      "migrateFrom.directory /home/op/.orchestrator",
    ],
    [
      "variables that the new host's unit lacks",
      oldFacts({ environment: ["ORCHESTRATOR_NETWORK", "X"] }),
      "new: the orchestrator's unit lacks environment variables of the old host's unit\n  found: no ORCHESTRATOR_NETWORK, no X",
      '/etc/systemd/system/orchestrator.service.d, and write there, into environment.conf, the lines [Service] and Environment="ORCHESTRATOR_NETWORK=…"',
    ],
    [
      "a pass phrase that somebody types",
      survey({ old: { config: { ...config, hasPassphrase: false } } }),
      "old: the pass phrase of the producer's key store is not in /root/.orchestrator/config.json",
      "nobody can type it on the new host",
    ],
    [
      "another DataPath",
      survey({ old: { config: { ...config, dataPath: "/data/orchestrator" } } }),
      "old: the orchestrator's files lie in two places\n  found: DataPath /data/orchestrator in /root/.orchestrator/config.json",
      "set DataPath to /root/.orchestrator in",
    ],
    [
      "another BaseDir",
      survey({ old: { config: { ...config, tssDir: "/root/.orchestrator/keys" } } }),
      "old: the key shares lie outside of the orchestrator's directory\n  found: TssConfig.BaseDir /root/.orchestrator/keys",
      "set BaseDir in TssConfig to /root/.orchestrator/tss",
    ],
    [
      "a key store elsewhere",
      survey({ old: { config: { ...config, keyStore: "../wallet/producer" } } }),
      "old: the producer's key store can't be fenced under its name\n  found: ProducerKeyFileName \"../wallet/producer\"",
      "a name of letters, digits, _ . and -",
    ],
    [
      "no share of the present key",
      survey({ old: { config: { ...config, hasShare: false } } }),
      "old: the orchestrator has no share of the bridge's present key, and signs nothing",
      "noKeyShare acknowledged",
    ],
    [
      "an older release",
      survey(),
      "new: the new host's orchestrator is older than the old host's",
      "v0.0.9 on the new host, v0.0.9a on the old one",
      { release: { version: "v0.0.9" } },
    ],
    [
      "an older one that runs",
      survey({ new: { build: { value: { ...build, version: "v0.0.8" } } } }),
      "new: the new host's orchestrator is older",
      "v0.0.8 on the new host",
      { release: undefined },
    ],
    [
      "nothing to install",
      survey(),
      "new: the orchestrator is not installed on the new host, and no release is configured",
      "orchestrator.release.url URL",
      { release: undefined },
    ],
    ["a node that syncs", survey({ node: false }), "new: the node is not synced now", "found: state 1"],
    ["no room here", survey({ room: 1e6 }), "this machine has no room for the backup", "1 MB free at /b"],
  ])("reports only: %s", (_what, found, what, detail, changes = {}) => {
    const faults = findMoveProblems(found, { ...wanted, ...changes });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(what);
    expect(faults[0]).toContain(detail);
    expect(faults[0]).toMatch(/\n {2}found: .+\n {2}needed: .+\n {2}\S/);
  });

  test("unreachable hosts hide no other problem", () => {
    const found: MoveSurvey = {
      old: { problem: "old refuses" },
      new: { problem: "new refuses" },
      node: { synced: false, why: "w", known: false },
      bridge: { known: false, why: "w" },
      room: 0,
    };
    expect(findMoveProblems(found, wanted).map((fault) => fault.split("\n")[0])).toEqual([
      ...[
        "old: the old host can't be read",
        "new: the new host can't be read",
        "new: the node is not synced now",
        "this machine has no room for the backup",
      ],
    ]);
    expect(findMoveProblems(found, wanted)[0]).toBe(
      "old: the old host can't be read\n  found: old refuses\n  needed: a running host that accepts a login of root, or of a user with sudo (pillar-host:orchestrator.migrateFrom)\n" +
        "  See it with: ssh -v old, as the user and on the port of pillar-host:orchestrator.migrateFrom. Then run pulumi up -s prod again.",
    );
  });

  test("reports a start that the old host does not know of, unless the operator confirms a later move by hand", () => {
    const known = { generation: 2, started: 2, move: moveNamed("pillar-host/prod-2/Anvil/1") };
    const later = { ...wanted, known };
    expect(findMoveProblems(survey(), later)).toEqual([
      "old: this host does not know of this orchestrator's last start\n  found: no journal\n" +
        "  needed: the host that the orchestrator is on now, with generation 2 (pillar-host/prod-2/Anvil/1). Was this one restored from a snapshot, or installed anew?\n" +
        "  You brought it here yourself, and the orchestrator can start nowhere else (docs/orchestrator.md)? pulumi config set --path pillar-host:orchestrator.migrateFrom.laterThanMove 2 -s prod && pulumi up -s prod",
    ]);
    const written = (generation: number) => oldFacts({ journal: JSON.stringify({ generation }) });
    const copied = (generation: number) =>
      newFacts({
        journal: JSON.stringify({
          generation,
          direction: "forward",
          stage: "staging",
          move: "pillar-host/prod/Anvil/1",
        }),
      });
    expect(findMoveProblems(copied(2), later)).toEqual([]);
    expect(findMoveProblems(copied(1), later)[0]).toContain("does not know of this orchestrator's last start");
    expect(findMoveProblems(written(1), later)[0]).toContain("found: generation 1\n");
    expect(findMoveProblems(written(2), later)).toEqual([]);
    expect(findMoveProblems(survey(), { ...later, laterThanMove: 2 })).toEqual([]);
  });

  test("reports an event log that is behind a host, and an unknown orchestrator, unless the operator confirms", () => {
    const none = { ...wanted, known: { generation: 0, started: 0 } };
    expect(findMoveProblems(survey(), none)).toEqual([
      "no move of this orchestrator is known, neither by the event log nor by a journal\n  found: generation 0 on a host, 0 in the event log\n" +
        "  needed: confirm once that no move of this orchestrator ever began. If one began, bring the event log of the machine that ran the last move (docs/unattended.md): the orchestrator may be at work elsewhere\n" +
        "  Was this orchestrator never moved? pulumi config set --path pillar-host:orchestrator.migrateFrom.firstMove acknowledged -s prod && pulumi up -s prod",
    ]);
    expect(findMoveProblems(survey(), { ...none, firstMove: true })).toEqual([]);
    const known = { ...none, known: { generation: 1, started: 0 } };
    expect(findMoveProblems(survey(), known)).toEqual([]);
    for (const facts of [oldFacts, newFacts]) {
      const ahead = facts({ journal: JSON.stringify({ generation: 2 }) });
      expect(findMoveProblems(ahead, { ...known, firstMove: true })).toEqual([
        "the event log has fewer moves of this orchestrator than its hosts have recorded\n  found: generation 2 on a host, 1 in the event log\n" +
          "  needed: bring the event log of the machine that ran the last move (docs/unattended.md): the orchestrator may be at work elsewhere\n" +
          "  That event log is lost, and the orchestrator can start nowhere else (docs/orchestrator.md)? pulumi config set --path pillar-host:orchestrator.migrateFrom.laterThanMove 2 -s prod && pulumi up -s prod",
      ]);
      expect(findMoveProblems(ahead, { ...known, laterThanMove: 2 })).toEqual([]);
    }
  });

  test("accepts what is acknowledged, builds without getStatus, and this move's own share", () => {
    expect(findMoveProblems(oldFacts({ shares: 0 }), { ...wanted, noKeyShare: true })).toEqual([]);
    expect(findMoveProblems(survey({ old: { status: { value: undefined } } }), wanted)).toEqual([]);
    const halted = (state: number) => survey({ old: { status: { value: { state, stateName: "x" } } } });
    expect([2, 1, 3].map((state) => findMoveProblems(halted(state), { ...wanted, haltedBridge: true }).length)).toEqual(
      [...[0, 1, 1]],
    );
    const chainHalted = survey({ bridge: { known: true, state: 2, key: bridgeKey, why: "halted" } });
    expect(findMoveProblems(chainHalted, { ...wanted, haltedBridge: true })).toEqual([]);
    const own = newFacts({ shares: 1, directory: "there", journal: journal("pillar-host/prod/Anvil/3", "running") });
    expect(findMoveProblems(own, wanted)).toEqual([]);
    const another = newFacts({ shares: 1, directory: "there", journal: journal("pillar-host/prod/Bell/1", "running") });
    expect(findMoveProblems(another, wanted)).toHaveLength(1);
  });

  test("accepts files as the orchestrator writes them", () => {
    const places = { dataPath: "/root/.orchestrator/", tssDir: "/root/.orchestrator/tss" };
    expect(findMoveProblems(survey({ old: { config: { ...config, ...places } } }), wanted)).toEqual([]);
    // A process below a linked directory reports its real path.
    const linked = { ...facts, real: "/data/root/.orchestrator", works: "/data/root/.orchestrator" };
    expect(findMoveProblems(survey({ old: { facts: linked, config: { ...config, ...places } } }), wanted)).toEqual([]);
    const variables = ["ORCHESTRATOR_PRODUCER_PASSPHRASE"];
    const inEnvironment = survey({
      old: { facts: { ...facts, environment: variables }, config: { ...config, hasPassphrase: false } },
      new: { facts: { ...newSide.facts, environment: variables } },
    });
    expect(findMoveProblems(inEnvironment, wanted)).toEqual([]);
    // BNB's default, which stays in the file; the bridge has Ethereum alone.
    const leftOver = { ...ownEth, network: "BSC" };
    const status = { value: { state: 0, stateName: "live", networks: ["Ethereum"] } };
    const reached = ["eth:443", "localhost:8545"];
    expect(findMoveProblems(survey({ old: { status, endpoints: [eth, leftOver], reached } }), wanted)).toEqual([]);
    expect(findMoveProblems(survey({ old: { status, endpoints: [eth, ownEth], reached } }), wanted)).toHaveLength(1);
  });

  test("a new host that already has the executable needs no release", () => {
    expect(findMoveProblems(newFacts({ hasExecutable: true }), { ...wanted, release: undefined })).toEqual([]);
  });
});

describe("journals", () => {
  const move = moveNamed("pillar-host/prod/Anvil/1");
  test("a move has begun once the old host may have been stopped", () => {
    expect(hasBegun(journal(formatMove(move), "staging"), move)).toBe(false);
    expect(hasBegun(journal(formatMove(move), "stopping"), move)).toBe(true);
    expect(hasBegun(journal("pillar-host/prod/Anvil/2", "stopping"), move)).toBe(false);
    for (const none of [undefined, "", "{", "null", "[]"])
      expect([hasBegun(none, move), isOwn(none, move)]).toEqual([false, false]);
  });
});

test("parses facts as a host prints them", () => {
  const text = `load=loaded\nactive=active\ndirectory=there\nreal=/root/a=b\nbytes=12\nfiles=3\nshares=1\nspecial=1\nfree=5\ninodes=6\nmount=/\nnode_producer=there\nlacks=tar\nlacks=find\nuser=op\nworks=/home/op/.orchestrator\nenvironment=A\nenvironment=B\njournal=${Buffer.from("{}").toString("base64")}\n`;
  expect(parseFacts(text)).toEqual({
    load: "loaded",
    active: "active",
    directory: "there",
    real: "/root/a=b",
    bytes: 12,
    files: 3,
    shares: 1,
    special: 1,
    free: 5,
    inodes: 6,
    mount: "/",
    hasNodeKey: true,
    hasExecutable: false,
    lacks: ["tar", "find"],
    journal: "{}",
    user: "op",
    works: "/home/op/.orchestrator",
    environment: ["A", "B"],
  });
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
  expect(isUsed(endpoint("Zenon", "x"), [])).toBe(true);
  expect(isUsed(endpoint("BSC", "x"), ["Ethereum"])).toBe(false);
  expect(isUsed(endpoint("BSC", "x"), undefined)).toBe(true);
});

test("reads the configuration's paths and none of its secrets", () => {
  const json = {
    DataPath: "/o",
    ProducerKeyFileName: "key",
    ProducerKeyFilePassphrase: "hunter2",
    TssConfig: { BaseDir: "/o/tss", PublicKey: "A81a" },
  };
  expect(parseOrchestratorConfig(json)).toEqual({
    dataPath: "/o",
    tssDir: "/o/tss",
    keyStore: "key",
    hasPassphrase: true,
    hasShare: true,
  });
  for (const odd of [{}, { TssConfig: null }, { TssConfig: 1, DataPath: 2, ProducerKeyFileName: "" }])
    expect(parseOrchestratorConfig(odd)).toEqual({ keyStore: "producer", hasPassphrase: false, hasShare: false });
});

test("before the stand-up, only the new host's own node may be missing", () => {
  const node = { network: "Zenon", old: "127.0.0.1:35998", new: "127.0.0.1:35998", isOwn: true };
  const bare = survey({
    old: { endpoints: [eth, node, ownEth], reached: ["eth:443", "127.0.0.1:35998", "localhost:8545"] },
    node: false,
  });
  expect(findMoveProblems(bare, wanted).join("\n")).toContain("nothing at 127.0.0.1:35998 for Zenon");
  const rehearsed = findMoveProblems(assumeSyncedNode(bare), wanted);
  expect(rehearsed).toHaveLength(1);
  expect(rehearsed[0]).toContain("found: nothing at localhost:8545 for Ethereum\n");
});
