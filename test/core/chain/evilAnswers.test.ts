import { expect, test } from "vitest";
import { createChainClient } from "../../../core/chain/chain";
import { parseAmount, parseStanding } from "../../../core/chain/chainAnswers";
import { evilText } from "../../evilText";

const answering = (result: unknown) =>
  createChainClient(
    "a reference",
    async () => ({ status: 200, body: JSON.stringify({ result }) }),
    () => undefined,
  );

test("refuses an address or a hash with control or hidden characters", async () => {
  const pillar = { name: "Anvil", producerAddress: "z1qa", withdrawAddress: "z1qb" };
  expect(await answering(pillar).pillar("Anvil")).toMatchObject({ producerAddress: "z1qa" });
  for (const evil of [evilText, "z1q\u200ba"]) {
    const said = "embedded.pillar.getByName does not have the form";
    await expect(answering({ ...pillar, producerAddress: evil }).pillar("Anvil")).rejects.toThrow(said);
    await expect(answering({ ...pillar, withdrawAddress: evil }).pillar("Anvil")).rejects.toThrow(said);
    const momentum = { height: 1, timestamp: 1, hash: evil, producer: "z1qa" };
    await expect(answering(momentum).newest()).rejects.toThrow("momentum does not have the form");
  }
});

test.each(["9".repeat(41), "9".repeat(5_000_000), "-1", "1.5", "0x1", "1e9", "", null, 1e21])(
  "refuses an impossible amount or weight (%#)",
  (evil) => {
    const start = process.cpuUsage();
    expect(() => parseAmount({ znnAmount: evil, qsrAmount: "0" })).toThrow("the RPC's reward does not have the form");
    expect(() => parseAmount({ znnAmount: "0", qsrAmount: evil })).toThrow("the RPC's reward does not have the form");
    expect(() => parseStanding({ count: 1, list: [{ name: "Anvil", weight: evil }] }, "Anvil")).toThrow(
      "one without a weight",
    );
    const { user, system } = process.cpuUsage(start);
    expect(user + system).toBeLessThan(1_000_000);
  },
);

test("accepts an amount of forty digits or a plain number", () => {
  const most = "9".repeat(40);
  expect(parseAmount({ znnAmount: most, qsrAmount: 7 })).toEqual({ znn: BigInt(most), qsr: 7n });
  expect(parseStanding({ count: 1, list: [{ name: "Anvil", weight: most }] }, "Anvil")).toEqual({
    pillars: 1,
    place: 1,
  });
});
