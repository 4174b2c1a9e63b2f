import { expect, test } from "vitest";
import * as answers from "../../../core/chain/chainAnswers.ts";
import { parseNodeResult } from "../../../core/chain/node.ts";
import { evilText, harmless } from "../../evilText.ts";
import { clientOf } from "./readings.ts";

const notJson = "the RPC's answer is not JSON";
const errorOf = (code: unknown, message: string) => JSON.stringify({ error: { code, message } });

test.each([
  [200, " \n", "the RPC gives an empty answer"],
  [200, "<html>", `${notJson}: "<html>"`],
  [200, '{"result":{"sta', `${notJson}: "{"result":{"sta"`],
  [200, '\uFEFF{"error":"busy"}', 'the RPC answers with error "busy"'],
  [200, evilText, `${notJson}: "${harmless}"`],
  ...["null", "7", '"ok"', "[]", "{}", '{"message":"quota"}', '[{"result":1}]'].map(
    (body) => [200, body, `the RPC's answer has no result: "${body}"`] as const,
  ),
  [200, '{"error":{"code":-32601,"message":"no method"}}', "the RPC answers with error -32601: no method"],
  [200, '{"error":"broken"}', 'the RPC answers with error "broken"'],
  [200, '{"error":{"reason":"rate limit"}}', 'the RPC answers with error {"reason":"rate limit"}'],
  [200, errorOf(1, "x".repeat(1000)), `the RPC answers with error 1: ${"x".repeat(200)}`],
  [200, errorOf(evilText, evilText), `the RPC answers with error ${harmless.slice(0, 20)}: ${harmless}`],
  [403, "invalid host specified\n", 'the RPC answers 403: "invalid host specified"'],
  [403, `<html>${"x".repeat(100)}`, `the RPC answers 403: "<html>${"x".repeat(74)}"`],
  [429, '{"error":"rate limit"}', 'the RPC answers 429: "{"error":"rate limit"}"'],
  [500, "", "the RPC answers 500"],
] as const)("a node's answer of status %i is refused: %j", (status, body, message) => {
  expect(() => parseNodeResult({ status, body })).toThrow(new Error(message));
});

const good = { count: 7, name: "x" };
test.each([
  ...[null, undefined, 7, "2", [], {}],
  ...["7", -1, 1.5, 2 ** 53, null, Number.NaN].map((count) => ({ ...good, count })),
  { ...good, name: 7 },
])("refuses an answer of another form: %j", (answer) => {
  expect(answers.parseForm("thing", good, { count: answers.isCount, name: answers.isText })).toEqual(good);
  const parse = () => answers.parseForm("thing", answer, { count: answers.isCount, name: answers.isText });
  expect(parse).toThrow(new Error("the RPC's thing does not have the form {count, name}"));
});

const answering = (result: unknown) => clientOf(() => ({ result }));

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

const standingOf = (weight: unknown) => answers.parseStanding({ count: 1, list: [{ name: "Anvil", weight }] }, "Anvil");

test.each(["9".repeat(41), "9".repeat(5_000_000), "-1", "1.5", "0x1", "1e9", "", null, 1e21])(
  "refuses an impossible amount or weight (%#)",
  (evil) => {
    const start = process.cpuUsage();
    const amount = (znnAmount: unknown, qsrAmount: unknown) => () => answers.parseAmount({ znnAmount, qsrAmount });
    expect(amount(evil, "0")).toThrow("the RPC's reward does not have the form");
    expect(amount("0", evil)).toThrow("the RPC's reward does not have the form");
    expect(() => standingOf(evil)).toThrow("the RPC's Pillar does not have the form");
    const { user, system } = process.cpuUsage(start);
    expect(user + system).toBeLessThan(1_000_000);
  },
);

test("accepts an amount of forty digits or a plain number", () => {
  const most = "9".repeat(40);
  expect(answers.parseAmount({ znnAmount: most, qsrAmount: 7 })).toEqual({ znn: BigInt(most), qsr: 7n });
  expect(standingOf(most)).toEqual({ pillars: 1, place: 1 });
});
