import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseNodeResult, parseSyncInfo } from "../../../core/chain/node.ts";
import { clientOf } from "./readings.ts";

// Recorded from go-zenon v0.0.8 on networks of three Pillars; the file names each answer.
const recorded = JSON.parse(readFileSync(join(import.meta.dirname, "../../fixtures/goZenon.json"), "utf8")) as {
  [stage: string]: Record<string, object>;
};
const body = (answer: object | undefined) => ({ status: 200, body: JSON.stringify(answer) });
const clientAt = (stage: string) => clientOf((method) => recorded[stage]?.[method]);
/** Creates a node with one answer to every request. */
const edge = (name: string) => clientOf(() => recorded.edges?.[name]);

const producing = clientAt("producing");

test("the answers contain its sync state and its peers", () => {
  const answers = recorded.producing ?? {};
  const info = parseSyncInfo(parseNodeResult(body(answers["stats.syncInfo"])));
  expect(info).toEqual({ state: 2, currentHeight: 69, targetHeight: 69 });
  expect(parseNodeResult(body(answers["stats.networkInfo"]))).toMatchObject({ numPeers: expect.any(Number) });
});

test("the answers contain momentums, and the momentum before a time", async () => {
  expect((await producing.newest()).momentum).toMatchObject({ height: 69, timestamp: 1_795_328_521_000 });
  expect((await producing.momentums(66, 1)).map(({ height }) => height)).toEqual([66]);
  expect(await producing.before(1_795_328_521_000)).toMatchObject({ height: 68, timestamp: 1_795_328_511_000 });
  expect(await edge("atGenesis").before(0)).toBeUndefined();
  expect(await edge("beyond").momentums(1_000_000, 5)).toEqual([]);
  await expect(edge("tooMany").momentums(1, 1025)).rejects.toThrow("-32000: count parameter is too big");
  await expect(edge("height0").momentums(0, 1)).rejects.toThrow("must be strictly greater than zero");
});

test("the answers contain a Pillar and its rank", async () => {
  expect(await producing.pillar("Pillar-2")).toEqual({
    name: "Pillar-2",
    producerAddress: "z1qz8hvyx2vksmafqd5fw2rs7aer0sy94r9z02x8",
    withdrawAddress: "z1qzf5ymqkkvlxg56l4a9gj00pu73ucdc7tmk23j",
    figures: { expected: 30, produced: 21 },
  });
  expect(await producing.standing("Pillar-2")).toEqual({ pillars: 3, place: 2 });
  expect(await producing.standing("Nobody")).toBeUndefined();
  expect(await edge("noPillar").pillar("Nobody")).toBeNull();
  expect(await edge("firstAnswerAfterStart").pillar("Pillar-1")).toMatchObject({ figures: { expected: 0 } });
});

test("the answers give no rank right after a start, while weights are not counted", async () => {
  const list = ["A", "B"].map((name) => ({ name, weight: "0" }));
  const started = clientOf(() => ({ result: { count: 80, list } }));
  expect(await started.standing("A")).toEqual({ pillars: 80 });
});

test("the answers contain the exact paid epochs, and none before the first", async () => {
  expect(await clientAt("fast, collected").paidEpochs("Pillar-2")).toEqual(
    [2, 1, 0].map((epoch) => ({ epoch, expected: 30, produced: 30, givesAll: false })),
  );
  expect(await producing.paidEpochs("Pillar-2")).toEqual([]);
  expect(await edge("epochNotPaid").paidEpochs("Pillar-2")).toEqual([]);
});

test("the answers contain rewards before and after their collection, and none for an unknown address", async () => {
  const paid = { znn: 3_699_999_990n, qsr: 0n };
  const rows = [2, 1, 0].map((epoch) => ({ epoch, ...paid }));
  const [before, after] = [clientAt("fast, to be collected"), clientAt("fast, collected")];
  expect(await before.rewards("z1q")).toEqual({ rows, uncollected: { znn: 11_099_999_970n, qsr: 0n } });
  expect(await after.rewards("z1q")).toEqual({ rows, uncollected: { znn: 0n, qsr: 0n } });
  expect(await producing.rewards("z1q")).toMatchObject({ rows: [] });
});

test("the answers report methods that the node lacks", async () => {
  await expect(edge("noMethod").rewards("z1q")).rejects.toThrow("-32601");
  expect(await edge("noMethod").standing("Pillar-2")).toBeUndefined();
  expect(await edge("noMethod").paidEpochs("Pillar-2")).toEqual([]);
  await expect(edge("noMethod").pillar("Pillar-2")).rejects.toThrow("-32601");
});
