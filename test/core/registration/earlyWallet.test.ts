import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { agreeOnPillar, type PillarReading } from "../../../core/registration/agreeOnRegistration.ts";
import { watchForEarlyWallet } from "../../../core/registration/earlyWallet.ts";
import { silent } from "../chain/readings.ts";
import { old, ours, says } from "./chains.ts";

function watchOf(before?: string, digest: string | undefined = createHash("sha256").update(ours).digest("hex")) {
  const seen = { ticks: 0, reads: 0, digests: 0, lines: [] as string[], told: [] as string[], kept: [] as object[] };
  let readings: PillarReading[] = [];
  const watch = watchForEarlyWallet("Anvil", before, {
    read: async () => {
      seen.reads += 1;
      return agreeOnPillar(readings);
    },
    digest: async () => {
      seen.digests += 1;
      if (digest === "none") throw new Error("this host's producer address can't be read: none");
      return digest;
    },
    ticks: () => seen.ticks,
    now: () => 0,
    say: (line) => void seen.lines.push(line),
    tell: (text) => void seen.told.push(text),
    record: async (registration) => void seen.kept.push(registration),
  });
  /** Runs lookups every 10 s for this many minutes, with these answers of the references. */
  const pass = async (minutes: number, ...answers: PillarReading[]) => {
    readings = answers;
    for (let i = 0; i < minutes * 6; i += 1) {
      watch.turn();
      watch.turn();
      await watch.settled();
      seen.ticks += 10_000;
    }
  };
  return { seen, watch, pass };
}

test("reports an early wallet update once, with the steps to undo it, and logs it", async () => {
  const { seen, pass } = watchOf();
  await pass(4, says("ref1", old));
  expect([seen.lines, seen.reads]).toEqual([[], 2]);
  await pass(10, says("ref1", ours));
  expect(seen.lines).toEqual([
    "sync: REGISTERED TOO EARLY",
    "sync: Anvil is registered with this host's producer address ALREADY, and its node is not synced:",
    "sync: the Pillar earns nothing from 5 to 10 minutes after the update until the node is synced and the next tick begins.",
    `sync: The way back, while the old host runs: in the wallet, Update Pillar Anvil, producer address: ${old}`,
    "sync: the wait for the sync continues",
  ]);
  expect(seen.told).toHaveLength(1);
  expect(seen.kept).toEqual([expect.objectContaining({ kind: "tooEarly", address: ours, earlier: old })]);
  await pass(4, says("ref1", old));
  const undone = `sync: Anvil is registered with another address again, ${old}: the too early update is undone`;
  expect(seen.lines.slice(5)).toEqual([undone]);
});

const unseen = "sync: it is unknown whether the wallet was updated too early: ";
const contradiction = `the nodes contradict each other (right after an update in the wallet they do so for some seconds): ref1 says ${ours}, ref2 says ${old}`;

test.each<[string, PillarReading[], string[]]>([
  ["nobody answers", [silent("ref1")], [`${unseen}ref1 is left out: ECONNREFUSED`]],
  ["two contradict each other", [says("ref1", ours), says("ref2", old)], [`${unseen}${contradiction}`]],
  ["nobody registered it", [says("ref1", null)], []],
])("prints it at most once, and does not ask the host: %s", async (_what, readings, lines) => {
  const { seen, pass } = watchOf();
  await pass(4, ...readings);
  expect([seen.lines, seen.digests, seen.told]).toEqual([lines, 0, []]);
});

test("takes the earlier address from an earlier wait; reports nothing for a host without an address", async () => {
  const earlier = watchOf(old);
  await earlier.pass(1, says("ref1", ours));
  expect(earlier.seen.lines[3]).toContain(`producer address: ${old}`);
  expect(earlier.watch.earlier()).toBe(old);
  const { seen, watch, pass } = watchOf(undefined, "none");
  await pass(4, says("ref1", ours));
  expect(seen.lines).toEqual([`${unseen}this host's producer address can't be read: none`]);
  expect(watch.earlier()).toBeUndefined();
});
