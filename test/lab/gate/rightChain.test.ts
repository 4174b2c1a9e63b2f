import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openNodeChain, openReferenceChain } from "../../../core/chain/chain.ts";
import type { NodeTarget } from "../../../core/chain/node.ts";
import { isAnswered } from "../../../core/chain/reading.ts";
import { readSharedHeights } from "../../../core/chain/sameChain.ts";
import { copyChain } from "../../../core/chainCopy/chainCopy.ts";
import type { CopyRun } from "../../../core/chainCopy/copyHosts.ts";
import type { ChainCopyInputs } from "../../../core/chainCopy/copyInputs.ts";
import { type CopyDeps, createNodeAccess } from "../../../core/chainCopy/copyNodes.ts";
import type { LogRef } from "../../../core/eventLog/eventLog.ts";
import type { WhichHost } from "../../../core/host/rootPair.ts";
import { decideRetirement } from "../../../core/retirement/decideRetirement.ts";
import { readChain } from "../../../core/retirement/readChain.ts";
import type { WitnessSources } from "../../../core/sync/judgeWitnesses.ts";
import { readNodeStatus } from "../../../core/sync/nodeStatus.ts";
import { systemClock } from "../../../core/util/clock.ts";
import { Chain, type ServedChain, serveChain } from "../../../lab/doubles/chain/index.ts";
import { NodeDouble } from "../../../lab/doubles/node/node.ts";
import { passGate } from "../../../providers/syncGate.ts";
import { configOf } from "../../components/exampleConfig.ts";
import { loginTo, type SshHost, sshHost } from "../../core/chain/fakes.ts";
import { answerFacts } from "../../core/host/printedFacts.ts";
import { facts as retirementFacts } from "../../core/retirement/exampleFacts.ts";
import { journeyIn } from "../../recordIn.ts";

// Two similar networks of the node's double: the same height and pace, fresh momentums, and different hashes. All are
// on loopback, an address for each machine, so that 80 hosts take seconds; references.test.ts tests a fork with the
// engine.

type Side = "right" | "wrong";
type Witnesses = Omit<WitnessSources, "tolerance">;
const rounds = Array.from({ length: 20 }, (_, i) => i);
const chains: Partial<Record<Side, ServedChain>> = {};
const nodes: NodeDouble[] = [];
let directory: string;
let host: SshHost;
/** The old host's node of each network, and a reference on the right one. */
const old: Partial<Record<Side, NodeTarget>> = {};
let reference: string;
let second: string;

let machines = 0;
/** Starts a machine with a synced node on one of the networks. */
async function nodeOn(side: Side): Promise<NodeTarget> {
  machines += 1;
  const address = `127.1.0.${machines}`;
  const node = new NodeDouble({
    dataDir: join(directory, address),
    listen: address,
    ports: { rpc: 0, ws: 0, p2p: 0 },
    chainUrl: chains[side]?.url ?? "",
    name: address,
    pollMs: 20,
    statsCacheMs: 50,
    print: () => undefined,
  });
  nodes.push(node);
  await node.start();
  const ssh = { ...loginTo(host), address, hostKey: `ssh-ed25519 ${address}` };
  return { ssh, via: "direct", address, port: Number(new URL(node.rpcUrl).port) };
}
const urlOf = ({ address, port }: NodeTarget) => `http://${address}:${port}`;

beforeAll(async () => {
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  directory = mkdtempSync(join(tmpdir(), "right-chain-"));
  host = await sshHost();
  for (const side of ["right", "wrong"] as const) {
    const chain = new Chain({ height: 5000 });
    chain.patchTruth({ chainId: side, defaults: { startRefusedMs: 0, peerMs: 0, behind: 0, rate: 1e6 } });
    chains[side] = await serveChain({ host: "127.0.0.1", port: 0, chain });
    // Through ssh, as an old host is asked.
    const { address, port } = await nodeOn(side);
    old[side] = { ssh: loginTo(host), via: "ssh", address, port };
  }
  reference = urlOf(await nodeOn("right"));
  second = urlOf(await nodeOn("right"));
});
afterAll(async () => {
  for (const node of nodes) await node.stop();
  await Promise.all([...Object.values(chains).map((chain) => chain.close()), host.close()]);
  rmSync(directory, { recursive: true });
  vi.restoreAllMocks();
});

/** Chooses the witnesses of a round: each kind alone, or together; silent ones and the node itself do not count. */
function witnessesOf(round: number, itself: string): Witnesses {
  const all: readonly Witnesses[] = [
    { references: [reference] },
    { references: [], witnessHost: old.right },
    { references: [reference, second] },
    { references: [itself, reference] },
    { references: ["http://127.1.1.1:1"], witnessHost: old.right },
  ];
  return all[round % all.length] as Witnesses;
}

function standUp(
  target: NodeTarget,
  witnesses: Witnesses,
  record: LogRef = { directory, stack: "prod", pillar: "None" },
) {
  const settings = {
    confirmations: 1,
    confirmSpan: 0,
    tolerance: 20,
    deadline: 1,
    stallAfter: 900_000,
    wait: "check" as const,
  };
  return passGate(
    {
      ...settings,
      stack: "prod",
      service: "go-node",
      dataDir: "/x",
      title: "Anvil",
      ports: [],
      host: { stack: "prod", ssh: target.ssh },
      node: configOf().node,
      library: "",
      target,
      ...witnesses,
      log: record,
      witnessHost: witnesses.witnessHost,
      notify: undefined,
      setUp: undefined,
    },
    {},
    { signal: new AbortController().signal, tell: () => undefined },
  );
}

const refusal = (done: Promise<unknown>) =>
  done.then(
    () => "it passed",
    (error: Error) => error.message,
  );

describe("a new host", () => {
  it("passes no gate and no later lookup on the wrong chain: 20 of 20", async () => {
    const target = await nodeOn("wrong");
    for (const round of rounds) {
      const witnesses = witnessesOf(round, urlOf(target));
      expect(await refusal(standUp(target, witnesses)), `${round}`).toContain("the node is on another chain");
      expect(await readNodeStatus(target, { ...witnesses, tolerance: 20 }), `${round}`).toMatchObject({
        synced: false,
      });
    }
  });

  it("passes no gate on the wrong chain by a hostile old host or a recorded momentum against a reference: 20 of 20", async () => {
    const target = await nodeOn("wrong");
    for (const round of rounds) {
      const record = { directory: join(directory, `fooled-${round}`), stack: "prod", pillar: "Anvil" };
      // Without a reference the old host can fool the gate, and its momentum is recorded.
      const hostile = { references: [], witnessHost: old.wrong };
      if (round % 2) await standUp(target, hostile, record);
      const witnesses = { references: [reference], ...(round % 4 < 2 ? { witnessHost: old.wrong } : {}) };
      const text = await refusal(standUp(target, witnesses, record));
      const isDoubted = round % 2 === 1 || "witnessHost" in witnesses;
      expect(text, `${round}`).toContain(
        isDoubted ? "the witnesses disagree on the node's chain" : "the node is on another chain",
      );
      if (isDoubted) expect(text, `${round}`).not.toContain("sync again");
      expect(await readNodeStatus(target, { ...witnesses, log: record, tolerance: 20 })).toMatchObject({
        synced: false,
      });
    }
  });

  it("passes on any chain only by the operator's acknowledgement: 20 of 20", async () => {
    const targets = [await nodeOn("wrong"), await nodeOn("right")];
    for (const round of rounds) {
      const target = targets[round % 2] as NodeTarget;
      const itself = urlOf(target);
      const none: Witnesses[] = [
        { references: [] },
        { references: [itself, itself.replace("127.1", "127.01")] },
        { references: ["http://127.1.1.1:1"] },
        { references: [], witnessHost: { ...target, ssh: { ...target.ssh, address: "127.1.1.2" } } },
      ];
      const sources = none[round % none.length] as Witnesses;
      expect(await refusal(standUp(target, sources)), `${round}`).toContain("no witness confirms its chain yet");
      expect(await readNodeStatus(target, { ...sources, tolerance: 20 })).toMatchObject({ synced: false });
    }
  });

  it("passes on the right chain, and later by the recorded proof: 20 of 20", async () => {
    const target = await nodeOn("right");
    const other = await nodeOn("wrong");
    for (const round of rounds) {
      const record = { directory: join(directory, `records-${round}`), stack: "prod", pillar: "Anvil" };
      const { proved } = await standUp(target, witnessesOf(round, urlOf(target)), record);
      expect(proved).toContainEqual(expect.stringMatching(/^the chain is confirmed by /));
      expect(journeyIn(record.directory, "Anvil").at(-1)).toMatchObject({
        details: { witnessed: { height: expect.any(Number) } },
      });
      const alone = { references: [], log: record, tolerance: 20 };
      expect(await readNodeStatus(target, alone), `${round}`).toMatchObject({ synced: true });
      expect(await readNodeStatus(other, alone), `${round}`).toMatchObject({ synced: false, reason: "otherChain" });
    }
  });
});

/** Returns a copy's output before it changes anything: its hosts have configured answers, its nodes are the doubles. */
function copy(from: NodeTarget, to: NodeTarget, references: readonly string[]): Promise<unknown> {
  const side = (node: NodeTarget) => ({
    host: { stack: "prod", ssh: node.ssh },
    node,
    service: "go-node",
    dataDir: "/",
  });
  const inputs = {
    stack: "prod",
    identity: "pillar-host/prod Anvil",
    old: side(from),
    new: side(to),
    references,
    tolerance: 20,
    copy: { address: "127.0.0.1", port: 22 },
    limitMbps: 0,
    momentum: 10_000,
    library: "",
    log: { directory: join(directory, "copies"), stack: "prod", pillar: "Anvil" },
    begun: undefined,
    again: undefined,
  } satisfies ChainCopyInputs;
  const facts = [
    ...["chain.nom=there", "chain.consensus=there", "chain.cache=none", "chain.bytes=1000"],
    ...["disk.size=9000000", "disk.free=9000000"],
  ];
  const call: CopyRun["hosts"]["call"] = async ({ name }) => {
    // A call without an exit code would be repeated for minutes.
    if (name === "chain_snapshot") throw Object.assign(new Error("the copy began"), { exitCode: 1 });
    return name === "host_facts" ? answerFacts(facts) : "";
  };
  const access = createNodeAccess(inputs);
  const readNodeStatus = async (side: WhichHost) => {
    const status = await access.readNodeStatus(side);
    // The new node has a young chain, which proves nothing yet.
    return side === "old" ? status : { ...status, synced: false };
  };
  const sleep = async () => undefined;
  const deps: CopyDeps = { ...systemClock, ...access, sleep, readNodeStatus, say: () => undefined };
  const none = async () => undefined;
  return copyChain(inputs, deps, { call, follow: none, takeLease: none, close: () => undefined });
}

describe("a chain copy", () => {
  it("is refused from an old host on the wrong chain, even if the new node is there too: 20 of 20", async () => {
    const [from, target] = [await nodeOn("wrong"), await nodeOn("wrong")];
    for (const round of rounds) {
      const references = [[reference], [second, reference], [reference, "http://127.1.1.1:1"]][round % 3] ?? [];
      const text = await refusal(copy(from, target, references));
      expect(text, `${round}`).toContain("the old host's node is not synced: the node is on another chain");
      expect(text).toContain("nothing was changed on either");
    }
  });

  it("begins from an old host on the right chain: 20 of 20", async () => {
    const [from, target] = [await nodeOn("right"), await nodeOn("right")];
    for (const round of rounds)
      expect(await refusal(copy(from, target, round % 2 ? [reference] : [])), `${round}`).toContain("the copy began");
  });
});

describe("an adopted host", () => {
  /** Returns what blocks the retirement by its own node, its successor's and a reference. */
  async function retire(own: NodeTarget, successor: NodeTarget | undefined, urls: readonly string[]): Promise<string> {
    const targets = [own, ...(successor ? [successor] : [])];
    const clients = targets.map((target) => openNodeChain(target.address, target));
    const question = { pillar: "Anvil", network: { momentum: 10_000, tickMomentums: 30 }, epoch: 86_400_000 };
    const asked = [...clients, ...urls.map(openReferenceChain)];
    // A node of a busy machine may not answer in time.
    const readings = await vi.waitFor(async () => {
      const all = await readSharedHeights(
        await Promise.all(asked.map((client) => readChain(client, question, Date.now()))),
        5000,
      );
      expect(all.every(isAnswered)).toBe(true);
      return all;
    }, 120_000);
    for (const client of clients) client.close();
    const { unmet } = decideRetirement(retirementFacts({ readings, isChainKnown: false, step: "retire" }));
    return unmet.map(({ what }) => what).join("; ");
  }

  it("is not retired if it or its successor is on the wrong chain: 20 of 20", async () => {
    const [right, wrong] = [await nodeOn("right"), await nodeOn("wrong")];
    for (const round of rounds) {
      const [own, successor] = round % 2 ? [right, wrong] : [wrong, right];
      expect(await retire(own, successor, round % 4 < 2 ? [] : [reference]), `${round}`).toContain(
        "are on different chains",
      );
    }
    expect(await retire(wrong, undefined, [])).toContain("nothing confirms the chain");
  });

  it("meets that condition on the right chain with its successor: 20 of 20", async () => {
    const [own, successor] = [await nodeOn("right"), await nodeOn("right")];
    for (const round of rounds)
      expect(await retire(own, successor, round % 2 ? [reference] : []), `${round}`).not.toMatch(/chain/);
  });
});
