import { describe, expect, test } from "vitest";
import type { NewSide, OldSide, Survey, Wanted } from "../../../providers/signer/findings";
import { hasBegun, isOwn } from "../../../providers/signer/journal";
import { faultsOf } from "../../../providers/signer/prerequisites";
import { shownOf } from "../../../providers/signer/shown";
import { parseFacts, type SideFacts } from "../../../providers/signer/sideFacts";
import { endpointsOf } from "../../../providers/signer/survey";

const hostKey = "ssh-ed25519 KEY";
const build = { version: "v0.0.9a", gitCommit: "abcdef12".repeat(5), goVersion: "go1.20.14" };
const facts: SideFacts = {
  ...{ load: "loaded", active: "active", enabled: "enabled", directory: "there", real: "/root/.orchestrator" },
  ...{ bytes: 50_000_000, files: 400, shares: 1, free: 20e9, inodes: 1e6, mount: "/", hasNodeKey: true },
  ...{ hasNodeConfig: true, hasExecutable: false, lacks: [] },
};
const wanted: Wanted = {
  move: "pillar-host/prod/Anvil/1",
  old: { address: "old", service: "orchestrator", directory: "/root/.orchestrator", executable: "orchestrator" },
  new: { address: "new", service: "orchestrator", directory: "/root/.orchestrator" },
  ...{ rpcPort: 55000, copyAddress: "old", sshPort: 22, hostKey, noKeyShare: false, backupDirectory: "/b" },
  release: { version: "v0.0.9a" },
};
const oldSide = {
  ...{ facts, build: { value: build }, status: { value: { state: 0, stateName: "live" } } },
  identity: { value: { producer: "z1q", pillarName: "Anvil", tssPeerId: "12D", evmAddress: "0x" } },
  ...{ damaged: [] as string[], hasKeyStore: true, endpoints: ["eth:443"], reached: ["eth:443"] },
};
const newSide = {
  facts: { ...facts, active: "inactive", load: "not-found", directory: "none", shares: 0, bytes: 0, files: 0 },
  build: { error: "it does not run" },
  ...{ scan: `ssh-rsa AAAA\n${hostKey}`, reached: ["eth:443"] },
};
const survey = (
  changes: { old?: Partial<OldSide>; new?: Partial<NewSide>; node?: boolean; room?: number } = {},
): Survey => ({
  old: { value: { ...oldSide, ...changes.old } },
  new: { value: { ...newSide, ...changes.new } },
  node: { synced: changes.node ?? true, why: "state 1", known: true },
  room: changes.room ?? 1e12,
});
const oldFacts = (changes: Partial<SideFacts>) => survey({ old: { facts: { ...facts, ...changes } } });
const newFacts = (changes: Partial<SideFacts>) => survey({ new: { facts: { ...newSide.facts, ...changes } } });
const journal = (move: string, stage: string) => JSON.stringify({ move, stage });

describe("prerequisites", () => {
  test("hosts where all is well have no fault, and both sides' versions are shown", () => {
    expect(faultsOf(survey(), wanted)).toEqual([]);
    expect(shownOf(survey(), wanted)).toEqual([
      "old side old: v0.0.9a (abcdef12), state: live, 400 files, 50 MB, key shares: 1",
      "new side new: v0.0.9a, 20.0 GB free",
      "old side signs for Pillar Anvil",
    ]);
    const bare = survey({ old: { build: { value: { ...build, gitCommit: "" } } } });
    expect(faultsOf(bare, wanted)).toEqual([]);
    expect(shownOf(bare, wanted)[0]).toContain("old side old: v0.0.9a (no commit), state: live");
    const moved = { producer: "z1q", pillarName: "notFound", tssPeerId: "12D", evmAddress: "0x" };
    expect(shownOf(survey({ old: { identity: { value: moved } } }), wanted).at(-1)).toBe(
      "old side: no Pillar has its producer key by now; it signs on until the next key generation, not after it",
    );
  });

  test.each<[string, Survey, Partial<Wanted>, string, string]>([
    [
      "the service stopped",
      oldFacts({ active: "inactive" }),
      {},
      "old: the orchestrator does not run",
      "found: inactive",
    ],
    [
      "the service masked",
      oldFacts({ active: "inactive", load: "masked" }),
      {},
      "old: the orchestrator does not run",
      "found: masked",
    ],
    [
      "no service",
      oldFacts({ load: "not-found" }),
      {},
      "old: there is no service orchestrator",
      "orchestrator.migrateFrom.service NAME",
    ],
    [
      "a process of another name",
      oldFacts({ process: "bridge-signer" }),
      {},
      "old: the process of orchestrator is not called orchestrator",
      "found: bridge-signer",
    ],
    [
      "no answer",
      survey({ old: { build: { error: "nothing listens" } } }),
      {},
      "old: the orchestrator gives no good answer to getBuildInfo on 127.0.0.1:55000",
      "found: nothing listens",
    ],
    [
      "a key generation",
      survey({ old: { status: { value: { state: 1, stateName: "keyGen" } } } }),
      {},
      "old: a key generation is at work",
      "stopping now would lose the key share",
    ],
    [
      "a halted bridge",
      survey({ old: { status: { value: { state: 2, stateName: "halted" } } } }),
      {},
      "old: the orchestrator is not live",
      "state 2 (halted)",
    ],
    [
      "no status although the build has it",
      survey({ old: { status: { error: "frozen" } } }),
      {},
      "old: the orchestrator does not say whether a key generation is at work",
      "found: frozen",
    ],
    [
      "a damaged configuration",
      survey({ old: { damaged: ["config.json"] } }),
      {},
      "old: /root/.orchestrator/config.json is not whole",
      "journalctl",
    ],
    [
      "no key store",
      survey({ old: { hasKeyStore: false } }),
      {},
      "old: the orchestrator's producer key store is not in /root/.orchestrator",
      "config.json tells",
    ],
    [
      "no key share",
      oldFacts({ shares: 0 }),
      {},
      "old: there is no key share (tss/localstate-*.json)",
      "noKeyShare acknowledged",
    ],
    [
      "no directory",
      oldFacts({ directory: "none" }),
      {},
      "old: /root/.orchestrator is not the orchestrator's directory",
      "migrateFrom.directory DIRECTORY",
    ],
    [
      "a linked directory",
      oldFacts({ directory: "link", real: "/data/o" }),
      {},
      "old: /root/.orchestrator is not the orchestrator's directory",
      "migrateFrom.directory /data/o",
    ],
    [
      "missing tools",
      oldFacts({ lacks: ["tar", "xargs"] }),
      {},
      "old: tools are missing on the host",
      "no tar, no xargs",
    ],
    [
      "a stranger's key share",
      newFacts({ shares: 1, directory: "there" }),
      {},
      "new: there is a key share in /root/.orchestrator already",
      "nothing here overwrites one",
    ],
    ["a full disk", newFacts({ free: 1e6 }), {}, "new: the disk has no room", "1 MB and 1000000 files free at /"],
    ["no inodes", newFacts({ inodes: 100 }), {}, "new: the disk has no room", "100 files free"],
    [
      "no way to the old ssh",
      survey({ new: { scan: "no connection" } }),
      {},
      "new: the new host does not reach the old one's ssh",
      "Allow new to TCP port 22 of the old host",
    ],
    [
      "another host's key",
      survey({ new: { scan: "ssh-ed25519 OTHER" } }),
      {},
      "old:22 shows the new host another key",
      "found: ssh-ed25519 OTHER",
    ],
    [
      "no way to a chain's node",
      survey({ new: { reached: [] } }),
      {},
      "new: the new host does not reach what the orchestrator talks to",
      "no connection to eth:443; the old host has one",
    ],
    [
      "an older release",
      survey(),
      { release: { version: "v0.0.9" } },
      "new: the new host's orchestrator is older than the old host's",
      "v0.0.9 on the new host, v0.0.9a on the old one",
    ],
    [
      "an older one that runs",
      survey({ new: { build: { value: { ...build, version: "v0.0.8" } } } }),
      { release: undefined },
      "new: the new host's orchestrator is older",
      "v0.0.8 on the new host",
    ],
    [
      "nothing to install",
      survey(),
      { release: undefined },
      "new: the orchestrator is not installed on the new host, and no release is configured",
      "orchestrator.release.url URL",
    ],
    ["a node that syncs", survey({ node: false }), {}, "new: the node is not synced now", "found: state 1"],
    ["no room here", survey({ room: 1e6 }), {}, "this machine has no room for the backup", "1 MB free at /b"],
  ])("%s is the one fault", (_what, found, changes, what, detail) => {
    const faults = faultsOf(found, { ...wanted, ...changes });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(what);
    expect(faults[0]).toContain(detail);
    expect(faults[0]).toMatch(/\n {2}found: .+\n {2}needed: .+\n {2}\S/);
  });

  test("hosts that can't be reached hide nothing else", () => {
    const found: Survey = {
      old: { error: "old refuses" },
      new: { error: "new refuses" },
      node: { synced: false, why: "w", known: false },
      room: 0,
    };
    expect(faultsOf(found, wanted).map((fault) => fault.split("\n")[0])).toEqual([
      ...[
        "old: the old host can't be looked at",
        "new: the new host can't be looked at",
        "new: the node is not synced now",
        "this machine has no room for the backup",
      ],
    ]);
    expect(faultsOf(found, wanted)[0]).toBe(
      "old: the old host can't be looked at\n  found: old refuses\n  needed: a running host that lets in root, or a user with sudo (pillar-host:orchestrator.migrateFrom)\n" +
        "  See it with: ssh -v old, as the user and on the port of pillar-host:orchestrator.migrateFrom. Then run pulumi up again.",
    );
  });

  test("what is acknowledged, older builds without getStatus, and this move's own share are no faults", () => {
    expect(faultsOf(oldFacts({ shares: 0 }), { ...wanted, noKeyShare: true })).toEqual([]);
    expect(faultsOf(survey({ old: { status: { value: undefined } } }), wanted)).toEqual([]);
    const own = newFacts({ shares: 1, directory: "there", journal: journal("pillar-host/prod/Anvil/3", "running") });
    expect(faultsOf(own, wanted)).toEqual([]);
    const another = newFacts({ shares: 1, directory: "there", journal: journal("pillar-host/prod/Bell/1", "running") });
    expect(faultsOf(another, wanted)).toHaveLength(1);
  });

  test("a new host that already has the executable needs no release", () => {
    expect(faultsOf(newFacts({ hasExecutable: true }), { ...wanted, release: undefined })).toEqual([]);
  });
});

describe("journals", () => {
  const move = "pillar-host/prod/Anvil/1";
  test("a move has begun once the old side may be stopped", () => {
    expect(hasBegun(journal(move, "staging"), move)).toBe(false);
    expect(hasBegun(journal(move, "stopping"), move)).toBe(true);
    expect(hasBegun(journal("pillar-host/prod/Anvil/2", "stopping"), move)).toBe(false);
    for (const none of [undefined, "", "{", "null", "[]"])
      expect([hasBegun(none, move), isOwn(none, move)]).toEqual([false, false]);
  });
});

test("facts are read as a host prints them", () => {
  const text = `load=loaded\nactive=active\nenabled=enabled\ndirectory=there\nreal=/root/a=b\nbytes=12\nfiles=3\nshares=1\nfree=5\ninodes=6\nmount=/\nnode_producer=there\nlacks=tar\nlacks=find\njournal=${Buffer.from("{}").toString("base64")}\n`;
  expect(parseFacts(text)).toEqual({
    ...{ load: "loaded", active: "active", enabled: "enabled", directory: "there", real: "/root/a=b", bytes: 12 },
    ...{ files: 3, shares: 1, free: 5, inodes: 6, mount: "/", hasNodeKey: true, hasNodeConfig: false },
    ...{ hasExecutable: false, lacks: ["tar", "find"], journal: "{}" },
  });
});

test("endpoints are host and port, without the access keys of their paths, and without the host's own", () => {
  const Networks = {
    ETH: { Urls: ["wss://eth.example/v3/s3cret", "https://eth.example/other", "http://plain.example"] },
    Znn: { Urls: ["ws://127.0.0.1:35998", "ws://localhost:1", "no url"] },
    BNB: { Urls: ["ws://u:p@bnb.example:8546/x"] },
  };
  expect(endpointsOf({ Networks })).toEqual(["eth.example:443", "plain.example:80", "bnb.example:8546"]);
  for (const odd of [{}, { Networks: null }, { Networks: { A: null, B: { Urls: "x" } } }])
    expect(endpointsOf(odd)).toEqual([]);
});
