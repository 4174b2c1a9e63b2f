import { afterEach, describe, expect, test, vi } from "vitest";
import { listDistinctReferences } from "../../../core/chain/distinctReferences";
import { createLeftOutNote, isAnswered, type Unanswered } from "../../../core/chain/reading";
import {
  chainGap,
  decideSynced,
  type EvidenceOptions,
  noEvidence,
  type SyncDecision,
} from "../../../core/sync/decideSynced";
import { readNodeStatus } from "../../../core/sync/nodeStatus";
import { compareReferences, type ReferenceAnswers, readReferences } from "../../../core/sync/references";
import { openWitnesses } from "../../../core/sync/witnesses";
import { closedPort, fakeNode, loginTo, type Server, type SshHost, sshHost } from "../chain/fakes";
import { atHeight, block, seenFrom, silent } from "../chain/readings";
import { answer, nodeTime } from "./looks";

const options: EvidenceOptions = { confirmations: 3, confirmSpan: 4000, tolerance: 20 };
const good = answer(2, 1000, 1000, { newestAge: 3000 });

/** Decides on three lookups with the same answers of the witnesses, 2 s apart. */
function threeLooks(seen: ReferenceAnswers, changes: Partial<EvidenceOptions> = {}): SyncDecision {
  let weighed: SyncDecision | undefined;
  for (const at of [0, 2000, 4000])
    weighed = decideSynced(
      weighed?.evidence ?? noEvidence,
      { observation: good, ...seen, at, clock: nodeTime },
      { ...options, ...changes },
    );
  return weighed as SyncDecision;
}

const alone: ReferenceAnswers = { readings: [], own: { newest: block(1000), recent: [] } };
const [oldHost] = seenFrom(1000, [atHeight("the old host's node", 1003)]).readings;
const [forkedOldHost] = seenFrom(1000, [atHeight("the old host's node", 1003, 3000, "f")], { theirs: ["f"] }).readings;

describe("fresh momentums are not the chain", () => {
  test("do not prove a node without a witness", () => {
    expect(threeLooks(alone)).toMatchObject({ synced: false, good: false, why: { kind: "unwitnessed" }, proved: [] });
  });

  test("do not prove a node that does not return its momentum", () => {
    const untold = { ...seenFrom(1000, [atHeight("r", 1000)]), own: undefined };
    expect(threeLooks(untold)).toMatchObject({ synced: false, why: { kind: "unwitnessed" } });
  });

  test.each<[string, ReferenceAnswers, string]>([
    ["one reference", seenFrom(1000, [atHeight("r", 1003)]), "r"],
    ["the old host", { ...seenFrom(1000, [atHeight("x", 1003)]), readings: [], oldHost }, "the old host's node"],
    [
      "a momentum that was recorded",
      { readings: [], recorded: block(900), own: { newest: block(1000), recent: [], older: [block(900)] } },
      "the momentum that this stack recorded",
    ],
  ])("are confirmed by %s with the node's momentum", (_, seen, name) => {
    const { synced, proved, unproved } = threeLooks(seen);
    expect(synced).toBe(true);
    expect(proved).toContain(`the chain is confirmed by ${name}`);
    expect(unproved).not.toContain(chainGap);
  });

  test.each<[string, ReferenceAnswers]>([
    ["reference", seenFrom(1000, [atHeight("r", 639)])],
    [
      "old host",
      {
        ...seenFrom(1000, [atHeight("r", 639)]),
        readings: [],
        oldHost: seenFrom(1000, [atHeight("r", 639)]).readings[0],
      },
    ],
  ])("are not confirmed by a %s that is an hour behind", (_, seen) => {
    expect(threeLooks(seen)).toMatchObject({ synced: false, why: { kind: "unwitnessed" } });
    expect(threeLooks(seen).notes.map(({ text }) => text)).toContain(
      "r confirms no chain: it is far behind the node, at height 639",
    );
  });

  test("are not confirmed by a recorded momentum above the node's height", () => {
    expect(threeLooks({ ...alone, recorded: block(1001) })).toMatchObject({
      synced: false,
      why: { kind: "unwitnessed" },
    });
  });

  test("wait for a silent witness, and name it", () => {
    const { synced, why, notes } = threeLooks({
      ...alone,
      readings: [silent("r")],
      oldHost: silent("old", "no answer"),
    });
    expect([synced, why.text]).toEqual([
      false,
      "the node says synced, and no witness confirms its chain yet (a reference or the old host)",
    ]);
    expect(notes.map(({ text }) => text)).toEqual(["r is left out: ECONNREFUSED", "old is left out: no answer"]);
  });

  test.each<[string, ReferenceAnswers]>([
    ["a single reference", seenFrom(1000, [atHeight("r", 1003)], { own: "f" })],
    ["the old host", { ...seenFrom(1000, [atHeight("x", 1003)], {}), readings: [], oldHost: forkedOldHost }],
    [
      "the recorded momentum",
      { readings: [], recorded: block(900, "f"), own: { newest: block(1000), recent: [], older: [block(900)] } },
    ],
  ])("are refused if %s is on another chain, acknowledged or not", (_, seen) => {
    for (const isChainUnverified of [undefined, true])
      expect(threeLooks(seen, { isChainUnverified })).toMatchObject({ synced: false, why: { kind: "otherChain" } });
  });

  test("need one of two witnesses, and name the other", () => {
    const seen = { ...seenFrom(1000, [atHeight("r", 1003)]), oldHost: forkedOldHost };
    const { synced, notes } = threeLooks(seen);
    expect(synced).toBe(true);
    expect(notes).toEqual([expect.objectContaining({ key: "otherChain the old host's node" })]);
  });

  test("pass with the acknowledged risk, which is listed as unproved", () => {
    const { synced, unproved } = threeLooks(alone, { isChainUnverified: true });
    expect(synced).toBe(true);
    expect(unproved).toContain(chainGap);
  });

  test("takes no proof from the old host's height", () => {
    expect(compareReferences(1000, { ...alone, oldHost }, 20)).toMatchObject({ verdict: "unknown" });
  });
});

describe("a witness", () => {
  const used: Server[] = [];
  const use = <T extends Server>(server: T): T => {
    used.push(server);
    return server;
  };
  afterEach(async () => {
    for (const server of used.splice(0)) await server.close();
  });
  const tip = (hash = "ab") => ({ height: 100, timestamp: Math.floor(Date.now() / 1000), hash, producer: "z1q" });
  const chain = (hash = "ab") => ({
    "ledger.getFrontierMomentum": tip(hash),
    "ledger.getMomentumsByHeight": { list: [tip(hash)] },
    "stats.syncInfo": { state: 2, currentHeight: 100, targetHeight: 100 },
    "stats.networkInfo": { numPeers: 3 },
  });

  test("counts once under two names", async () => {
    const node = use(await fakeNode(chain()));
    const urls = [
      `http://127.0.0.1:${node.port}`,
      `http://LOCALHOST:${node.port}/`,
      `http://[::ffff:127.0.0.1]:${node.port}`,
    ];
    const { readings } = await readReferences(urls, undefined);
    expect(readings.map((reading) => (isAnswered(reading) ? "counts" : createLeftOutNote(reading).text))).toEqual([
      "counts",
      `reference http://localhost:${node.port} is left out: it is the same node as http://127.0.0.1:${node.port}`,
      `reference http://[::ffff:7f00:1]:${node.port} is left out: it is the same node as http://127.0.0.1:${node.port}`,
    ]);
    const own = { newest: block(100), recent: [] };
    expect(compareReferences(100, { readings, own: { ...own, newest: { height: 100, hash: "ab" } } }, 20).verdict).toBe(
      "unknown",
    );
    expect(node.asked).toHaveLength(1);
  });

  test("is left out if its name is not resolved", async () => {
    const { readings } = await readReferences(["http://node.invalid:35997"], undefined);
    expect(createLeftOutNote(readings[0] as Unanswered).text).toMatch(
      /^reference http:\/\/node\.invalid:35997 is left out: its name is not resolved: (ENOTFOUND|EAI_AGAIN)$/,
    );
  });

  test("has its name resolved beside the others, since a resolver may hang", async () => {
    const asked: string[] = [];
    const hang = (name: string) => {
      asked.push(name);
      return new Promise<never>(() => undefined);
    };
    void listDistinctReferences(["http://a.example:1", "http://b.example:1"], [{ host: "c.example", what: "c" }], hang);
    expect(asked.sort()).toEqual(["a.example", "b.example", "c.example"]);
  });

  test("counts once as old host of a host that does not exist yet", async () => {
    const { target } = await hostWithNode();
    const none = { ssh: { address: "", hostKey: "" } };
    const references = [`http://127.0.0.1:${target.port}`];
    const witnesses = openWitnesses({ references, witnessHost: target }, none);
    const { readings, oldHost: old } = await witnesses.read(undefined);
    witnesses.close();
    expect(readings).toMatchObject([{ fault: { why: "it is the old host, which the program asks directly" } }]);
    expect(old && isAnswered(old)).toBe(true);
  });

  /** Starts a host with a node, and returns the target of a lookup. */
  async function hostWithNode(): Promise<{ host: SshHost; target: Parameters<typeof readNodeStatus>[0] }> {
    const host = use(await sshHost());
    const node = use(await fakeNode(chain()));
    return { host, target: { ssh: loginTo(host), via: "ssh", address: "127.0.0.1", port: node.port } };
  }

  test("is never the host itself, on any port or name", async () => {
    const { target } = await hostWithNode();
    const references = [`http://127.0.0.1:${target.port}`, `http://localhost:${target.port}`];
    const { readings } = await openWitnesses({ references }, target).read(undefined);
    expect(readings).toMatchObject(references.map(() => ({ fault: { why: "it is this host itself" } })));
    expect(await readNodeStatus(target, { references, tolerance: 20 })).toMatchObject({
      synced: false,
      reason: "unwitnessed",
    });
  });

  test("is never an old host with the new host's key", async () => {
    const { target } = await hostWithNode();
    const witnessHost = { ...target, ssh: { ...target.ssh, address: "127.0.0.2" } };
    const { oldHost: old } = await openWitnesses({ references: [], witnessHost }, target).read(undefined);
    expect(old).toMatchObject({ fault: { why: "it has this host's own host key: it is this host itself" } });
  });

  test.each([
    ["ab", { synced: true }],
    ["cd", { synced: false, reason: "otherChain" }],
  ])("may be the old host's node over ssh, with momentum %s", async (hash, expected) => {
    const { target } = await hostWithNode();
    const host = use(await sshHost());
    const other = use(await fakeNode(chain(hash)));
    const ssh = { ...loginTo(host), address: "127.0.0.1" };
    const witnessHost = { ssh, via: "ssh" as const, address: "127.0.0.1", port: other.port };
    expect(await readNodeStatus(target, { references: [], tolerance: 20, witnessHost })).toMatchObject(expected);
  });

  test("is needed unless the risk is acknowledged", async () => {
    const { target } = await hostWithNode();
    const references = [`http://127.0.0.3:${await closedPort()}`];
    expect(await readNodeStatus(target, { references, tolerance: 20 })).toMatchObject({ synced: false, known: true });
    const { synced, why } = await readNodeStatus(target, { references: [], tolerance: 20, isChainUnverified: true });
    expect([synced, why.includes(chainGap)]).toEqual([true, true]);
  });

  test("is not an unreadable event log", async () => {
    vi.stubEnv("XDG_DATA_HOME", "/proc/none");
    const { target } = await hostWithNode();
    const record = { directory: "/proc/none", stack: "prod", pillar: "Anvil" };
    expect(await readNodeStatus(target, { references: [], tolerance: 20, record })).toMatchObject({
      reason: "unwitnessed",
    });
    vi.unstubAllEnvs();
  });
});
