import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { Report } from "../../../cli/report/buildReport.ts";
import type { NodeReport } from "../../../lab/doubles/chain/index.ts";
import type { Slot } from "../../../lab/doubles/chain/production.ts";
import type { LabHost } from "../../../lab/lab.ts";
import { updateProducer } from "../../../lab/operator/wallet.ts";
import { cli } from "../cli/fixture.ts";
import { expectSuccess, onHost } from "../fixture.ts";
import { configureMove, type MoveStage, signers, signersOf } from "./moveStage.ts";

const pillar = "Anvil";
/** Causes of missed slots in a round: nothing; the leaving node stops before the switch; the new producer stops after it. */
const mishaps = ["none", "wallet too late", "producer stopped"] as const;

type Known = Extract<Report["production"], { ticks: unknown }>;

/**
 * Moves orchestrator and slots to and fro, from the new host on, as an operator does, and compares the report with the
 * chain after each move. Moves without a mishap miss nothing; a round with one must have missed slots.
 */
export async function playReportedMoves(stage: MoveStage, rounds: number): Promise<void> {
  const { lab, old, fresh, stack } = stage;
  const { producerAddress: newAddress } = await stack.outputs<{ producerAddress: string }>();
  const sides = {
    old: { host: old, address: stage.oldAddress },
    fresh: { host: fresh, address: newAddress },
  };
  let attempt = 2;
  for (let round = 1; round <= rounds; round++) {
    // The wallet's first switch is to the new host, where the orchestrator is already.
    const [from, to] = round % 2 === 1 ? [sides.old, sides.fresh] : [sides.fresh, sides.old];
    const mishap = mishaps[round % mishaps.length] ?? "none";
    const begin = Date.now();
    if (mishap === "wallet too late") {
      await onHost(from.host, "systemctl stop go-node");
      await sleep(4000);
    }
    await updateProducer(lab, pillar, to.address);
    await awaitProductionSince(stage, to.address, begin);
    if (mishap === "wallet too late") await startNode(stage, from.host);
    if (mishap === "producer stopped") {
      await onHost(to.host, "systemctl stop go-node");
      await sleep(5000);
      await startNode(stage, to.host);
      await awaitProductionSince(stage, to.address, Date.now());
    }
    if (round > 1) {
      const isBack = to === sides.old;
      if (!isBack) attempt += 1;
      await configureMove(stage, isBack ? { attempt, rollback: true } : { attempt });
    }
    // An orchestrator whose node stopped restarts, and no move begins before it answers.
    const holder = round === 1 ? to.host : from.host;
    await expect.poll(() => onHost(holder, "ss -Hltn 'sport = :55000'")).not.toBe("");
    await expectSuccess(stack.up());
    expect(await signersOf(stage)).toEqual([to === sides.old ? "old" : "new"]);
    const { missed, report } = await compare(stage, newAddress);
    const lost = missed.filter(({ at }) => at >= begin);
    console.log(
      `move ${round} (${mishap}): ${lost.length} own slots missed in it; since the first move ${missed.length} by the chain, and by the report: ${report.verdict.join(" ")}`,
    );
    if (mishap !== "none") expect(lost.length, mishap).toBeGreaterThan(0);
    await compareGaps(stage, report);
  }
}

/** Compares the report with the chain, tick by tick. Returns the slots that the chain says were missed. */
async function compare(stage: MoveStage, newAddress: string) {
  const output = await expectSuccess(cli(stage.stack, ["report", "prod", "--json"]));
  const report = JSON.parse(output) as Report;
  expect(report.production, output).not.toHaveProperty("unknown");
  const { ticks, tickSeconds, total } = report.production as Known;
  const slots = (await stage.lab.chain<Slot[]>("GET", "/production")).filter((slot) => slot.pillar === pillar);
  const inTick = ({ at }: Slot, startAt: string) => {
    const seconds = Math.floor(at / 1000) - Date.parse(startAt) / 1000;
    return seconds >= 0 && seconds < tickSeconds;
  };
  const truth = ticks.map(({ startAt }) => {
    const own = slots.filter((slot) => inTick(slot, startAt));
    const count = (address: string) => own.filter((each) => each.nodes.length > 0 && each.producer === address).length;
    const missed = own.filter(({ nodes }) => nodes.length === 0).length;
    return {
      startAt,
      producedMomentums: { old: count(stage.oldAddress), new: count(newAddress), other: 0 },
      expectedSlots: { least: own.length, most: own.length },
      missedSlots: { least: missed, most: missed },
    };
  });
  expect(ticks).toEqual(truth);
  const missed = slots.filter((slot) => slot.nodes.length === 0 && ticks.some(({ startAt }) => inTick(slot, startAt)));
  expect(total.missedSlots).toEqual({ least: missed.length, most: missed.length });
  const verdict = missed.length === 0 ? "Nothing was missed: 0" : `MISSED: ${missed.length}`;
  expect(report.verdict.join(" ")).toContain(`${verdict} of ${total.expectedSlots.most} own slots`);
  return { missed, report };
}

/** Compares the times without an orchestrator: the chain's clock counts from the last report to the first one. */
async function compareGaps(stage: MoveStage, { orchestratorGaps }: Report): Promise<void> {
  const all = (await signers(stage)).identities[stage.state.identity]?.gaps ?? [];
  const gaps = all.filter(({ from, to }) => from !== to);
  expect(orchestratorGaps).toHaveLength(gaps.length);
  for (const [index, gap] of orchestratorGaps.entries()) {
    const seconds = (gaps[index]?.ms ?? 0) / 1000;
    expect("seconds" in gap && gap.seconds).toBeGreaterThan(seconds / 2);
    expect("seconds" in gap && gap.seconds).toBeLessThan(seconds + 10);
  }
}

async function awaitProductionSince({ lab }: MoveStage, address: string, since: number): Promise<void> {
  const isProducing = ({ producer, nodes, at }: Slot) => at > since && producer === address && nodes.length > 0;
  await expect.poll(async () => (await lab.chain<Slot[]>("GET", "/production")).some(isProducing)).toBe(true);
}

/** Starts a host's node, and waits until it is synced: no move begins before. */
async function startNode({ lab }: MoveStage, host: LabHost): Promise<void> {
  const since = Date.now();
  await onHost(host, "systemctl start go-node");
  const isSynced = ({ at, synced }: NodeReport) => at > since && synced;
  await expect
    .poll(async () => (await lab.chain<NodeReport[]>("GET", `/nodes/${host.name}/reports`)).some(isSynced))
    .toBe(true);
}
