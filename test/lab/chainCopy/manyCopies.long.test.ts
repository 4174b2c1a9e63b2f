import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { ChainCopyInputs } from "../../../core/chainCopy/inputs";
import { type Copied, copyOnce } from "../../../lab/chainCopies/copies";
import { copyInputs } from "../../../lab/chainCopies/inputs";
import { roundsVariable } from "../../../lab/explore/rounds";
import { ensurePackagedImage } from "../../../lab/images/packagedImage";
import type { Lab, LabHost } from "../../../lab/lab";
import { RealNetwork } from "../../../lab/real/realNetwork";
import { setUpRealNode } from "../../../lab/real/realNode";
import { realOnly } from "../contracts/contract";
import { testLab } from "../fixture";
import { Chain, emptyNode, keepApart, leftOn } from "./manyCopies";

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
