import { expect, test } from "vitest";
import { chainClient } from "../../../core/chain/chain";
import { evilText } from "../../evilText";

const answering = (result: unknown) =>
  chainClient(
    "a reference",
    async () => ({ status: 200, body: JSON.stringify({ result }) }),
    () => undefined,
  );

test("an address or a hash that would command a terminal, or hides a letter, is none", async () => {
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
