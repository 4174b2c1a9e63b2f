import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { ChainCopyInputs } from "../../../core/chainCopy/copyNodes";
import { type Copied, copyOnce } from "../../../lab/chainCopies/copies";
import { copyInputs } from "../../../lab/chainCopies/inputs";
import { roundsVariable } from "../../../lab/explore/rounds";
import { ensurePackagedImage } from "../../../lab/images/packagedImage";
import type { Lab, LabHost } from "../../../lab/lab";
import { RealNetwork } from "../../../lab/real/realNetwork";
import { setUpRealNode } from "../../../lab/real/realNode";
import { realOnly } from "../contracts/contract";
import { onHost, testLab } from "../fixture";
import { leftOn } from "./copyStage";

/** A busy machine answers late, and a node that starts refuses. */
const patience = { timeout: 400_000, interval: 2000 };

/** A Pillar's figures of an epoch: exact from its end on, when the epoch is paid. */
interface Produced {
  readonly name: string;
  readonly producedBlockNum: number;
  readonly expectedBlockNum: number;
}

/** Reads a chain from the nodes of a network. */
class Chain {
  constructor(
    private readonly lab: Lab,
    private readonly network: RealNetwork,
    /** Seconds. */
    private readonly epoch: number,
  ) {}

  /** Returns the epoch of a time, by default of now. */
  epochAt(time = Date.now()): number {
    return Math.floor((time - this.network.genesis) / (this.epoch * 1000));
  }

  /** Hashes of all momentums that a node has, from the first on. */
  async hashes(node: string): Promise<string[]> {
    const found: string[] = [];
    for (;;) {
      const page = await this.ask<{ hash: string }>(node, "ledger.getMomentumsByHeight", [found.length + 1, 500]);
      found.push(...page.map(({ hash }) => hash));
      if (page.length < 500) return found;
    }
  }

  /** Epochs in the chain's own count, which is waited for, with the momentums that other Pillars have missed. */
  async epochs(node: string, pillar: string, first: number, last: number) {
    const found: { epoch: number; produced: number; expected: number; othersMissed: number }[] = [];
    for (let epoch = first; epoch <= last; epoch += 1) {
      const params = [epoch, 0, 100];
      const all = await vi.waitFor(async () => {
        const list = await this.ask<Produced>(node, "embedded.pillar.getPillarsHistoryByEpoch", params);
        expect(list.map(({ name }) => name)).toContain(pillar);
        return list;
      }, patience);
      const own = all.find(({ name }) => name === pillar);
      const missed = all.map(({ name, producedBlockNum, expectedBlockNum }) =>
        name === pillar ? 0 : expectedBlockNum - producedBlockNum,
      );
      found.push({
        epoch,
        produced: own?.producedBlockNum ?? 0,
        expected: own?.expectedBlockNum ?? 0,
        othersMissed: missed.reduce((sum, each) => sum + each, 0),
      });
    }
    return found;
  }

  private ask<T>(node: string, method: string, params: readonly unknown[]): Promise<T[]> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const request = ["-sf", "-H", "content-type: application/json", "-d", body, this.network.node(node).rpc];
    return vi.waitFor(async () => {
      const { result } = JSON.parse((await this.lab.run(["curl", ...request])).stdout) as {
        result: { list: T[] | null };
      };
      return result.list ?? [];
    }, patience);
  }
}

/** Separates a host's node from its peers, or reconnects it; ssh keeps working. */
async function keepApart(host: LabHost, apart: boolean): Promise<void> {
  const rule = (protocol: string, side: string) =>
    `ip rule del ipproto ${protocol} ${side} 35995 blackhole 2> /dev/null; ${apart ? `ip rule add ipproto ${protocol} ${side} 35995 blackhole` : "true"}`;
  const rules = ["tcp", "udp"].flatMap((protocol) => ["sport", "dport"].map((side) => rule(protocol, side)));
  await onHost(host, rules.join("\n"));
}

/** Makes a host's node one that was never synced, and keeps it from its peers. */
async function emptyNode(host: LabHost): Promise<void> {
  await keepApart(host, true);
  await onHost(
    host,
    `systemctl stop go-node; cd /root/.znn && rm -rf nom consensus cache network
    rm -f /var/lib/pillar-host/synced; systemctl reset-failed go-node 2> /dev/null; systemctl start go-node`,
  );
}

const rounds = Number(process.env[roundsVariable] ?? 3);
// Short epochs soon show whose momentums were missed. Each momentum writes as much as a contract's update does.
const clocks = { blockTime: 3, tickSlots: 8, epoch: 48, rewardDelay: 3, updateMomentums: 1 };
const tick = clocks.blockTime * clocks.tickSlots * 1000;
const pillar = "Pillar-2";

/** A copy, and the epochs in which it was made. */
interface Made extends Copied {
  readonly from: number;
  readonly to: number;
}

// Each test continues from the previous one.
realOnly(
  "a chain copied again and again from a node that produces",
  ["node-world/znnd-fast", "node-world/znndev"],
  () => {
    let lab: Lab;
    let old: LabHost;
    let fresh: LabHost;
    let chain: Chain;
    let inputs: ChainCopyInputs;
    let firstEpoch: number;
    const all: Made[] = [];

    beforeAll(async () => {
      lab = await testLab();
      old = await lab.addHost("old", ensurePackagedImage);
      fresh = await lab.addHost("fresh", ensurePackagedImage);
      const network = await RealNetwork.create(lab, { clocks, hosts: { p2: old.address, s1: fresh.address } });
      chain = new Chain(lab, network, clocks.epoch);
      await network.start("p1", "p3");
      await setUpRealNode(network, "p2", old);
      await setUpRealNode(network, "s1", fresh);
      inputs = await copyInputs(lab, { old, fresh }, { momentum: clocks.blockTime * 1000 });
      const patience = { timeout: 400_000, interval: 1000 };
      await vi.waitFor(async () => expect((await chain.hashes("p2")).length).toBeGreaterThan(5), patience);
      // A node that comes late produces from the tick on that begins next.
      firstEpoch = chain.epochAt(Date.now() + tick) + 1;
      await vi.waitFor(() => expect(chain.epochAt()).toBeGreaterThanOrEqual(firstEpoch), patience);
    });
    afterAll(() => lab?.down());

    /** Copies into an empty node, which then follows the producers to the gate's proof. */
    async function copied(heard: (line: string) => Promise<unknown> | undefined = () => undefined): Promise<Made> {
      const from = chain.epochAt();
      await emptyNode(fresh);
      const done = await copyOnce(lab, inputs, (line) =>
        line.includes("and starts with the copy") ? keepApart(fresh, false) : heard(line),
      );
      const to = chain.epochAt();
      expect(done.copied.outcome).toBe("copied");
      expect(done.syncedAt).toMatch(/^20/);
      for (const host of [old, fresh]) expect(await leftOn(host)).toBe("");
      const [own, theirs] = [await chain.hashes("s1"), await chain.hashes("p1")];
      expect(own.length).toBeGreaterThanOrEqual(done.copied.height ?? Number.POSITIVE_INFINITY);
      // The newest may be one's own view.
      const height = Math.min(own.length, theirs.length) - 1;
      expect(own.slice(0, height)).toEqual(theirs.slice(0, height));
      return { ...done, from, to };
    }

    test.each(Array.from({ length: rounds }, (_, round) => round + 1))(
      "round %i: the new node continues from the copy to the gate's proof, with the producers' hashes",
      async () => {
        all.push(await copied());
      },
      900_000,
    );

    test("the old node missed no momentum while it was copied, by the chain's own count", async () => {
      for (let spare = rounds * 2; ; spare -= 1) {
        const last = Math.max(...all.map(({ to }) => to));
        const epochs = await chain.epochs("p1", pillar, firstEpoch, last);
        // If nodes that were not copied from missed some as well, the machine was too busy for a verdict.
        const quiet = epochs.filter(({ othersMissed }) => othersMissed === 0);
        const told = all.filter(
          ({ from, to }) => quiet.filter(({ epoch }) => epoch >= from && epoch <= to).length === to - from + 1,
        );
        console.log(figures(epochs, told));
        for (const { epoch, produced, expected } of quiet) expect(produced, `epoch ${epoch}`).toBe(expected);
        if (told.length >= rounds) break;
        expect(spare, "the machine is too busy to tell").toBeGreaterThan(0);
        all.push(await copied());
      }
    }, 1_800_000);

    function figures(epochs: Awaited<ReturnType<Chain["epochs"]>>, told: readonly Made[]): string {
      const sum = (of: (epoch: (typeof epochs)[number]) => number) =>
        epochs.reduce((before, epoch) => before + of(epoch), 0);
      const torn = all.flatMap(({ said }) => said.filter((line) => line.includes("is discarded")));
      const seconds = all.map(({ copied: { seconds = 0 } }) => seconds).sort((a, b) => a - b);
      const produced = `${pillar} produced ${sum((each) => each.produced)} of ${sum((each) => each.expected)} momentums`;
      const others = `the others missed ${sum((each) => each.othersMissed)}`;
      return `${all.length} copies: ${seconds.join(" ")} s, ${torn.length} thrown away; ${produced} in ${epochs.length} epochs, ${others}; ${told.length} copies count`;
    }
  },
);
