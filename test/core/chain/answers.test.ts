import { describe, expect, test } from "vitest";
import { parseProduced } from "../../../core/chain/chainAnswers";
import { parseNodeResult, parseSyncInfo } from "../../../core/chain/node";
import { evilText, harmless } from "../../evilText";

const answer = (body: string, status = 200) => ({ status, body });

describe("resultOf", () => {
  test.each([
    ['{"jsonrpc":"2.0","id":1,"result":{"state":3}}\n', { state: 3 }],
    ['{"result":null}', null],
    ['{"result":0,"error":null}', 0],
    ['{"result":"","error":""}', ""],
  ])("returns the result of %j", (body, result) => {
    expect(parseNodeResult(answer(body))).toEqual(result);
  });

  test.each([
    ["", "the RPC gives an empty answer"],
    [" \n", "the RPC gives an empty answer"],
    ["<html>", "the RPC's answer is not JSON: cut off, or another service on its port"],
    ['{"result":{"sta', "the RPC's answer is not JSON: cut off, or another service on its port"],
    ["null", "another service answers on the RPC's port"],
    ["7", "another service answers on the RPC's port"],
    ['"ok"', "another service answers on the RPC's port"],
    ["[]", "another service answers on the RPC's port"],
    ["{}", "another service answers on the RPC's port"],
    [
      '{"error":{"code":-32601,"message":"the method stats.nope does not exist/is not available"}}',
      "the RPC answers with error -32601: the method stats.nope does not exist/is not available",
    ],
    ['{"error":"broken"}', "the RPC answers with error undefined: undefined"],
  ])("refuses %j", (body, message) => {
    expect(() => parseNodeResult(answer(body))).toThrow(new Error(message));
  });

  test("makes the node's error harmless for a terminal", () => {
    const body = JSON.stringify({ error: { code: evilText, message: evilText } });
    expect(() => parseNodeResult(answer(body))).toThrow(
      new Error(`the RPC answers with error ${harmless.slice(0, 20)}: ${harmless}`),
    );
  });

  test("shortens a long error", () => {
    const body = JSON.stringify({ error: { code: 1, message: "x".repeat(1000) } });
    expect(() => parseNodeResult(answer(body))).toThrow(new Error(`the RPC answers with error 1: ${"x".repeat(200)}`));
  });

  test.each([
    [403, "the RPC answers 403, the node refuses the Host header"],
    [415, "the RPC answers 415, the node refuses the content type"],
    [429, "the RPC answers 429, too many requests"],
    [500, "the RPC answers 500"],
    [0, "the RPC answers 0"],
  ])("names status %i, whatever the body", (status, message) => {
    expect(() => parseNodeResult(answer('{"result":1}', status))).toThrow(new Error(message));
  });
});

describe("parseSyncInfo", () => {
  test("returns the three heights alone", () => {
    const info = { state: 1, currentHeight: 35, targetHeight: 0 };
    expect(parseSyncInfo({ ...info, more: true })).toEqual(info);
  });

  const good = { state: 2, currentHeight: 10, targetHeight: 10 };
  test.each([
    null,
    undefined,
    7,
    "2",
    [],
    {},
    { ...good, state: "2" },
    { ...good, state: undefined },
    { ...good, currentHeight: -1 },
    { ...good, currentHeight: 1.5 },
    { ...good, targetHeight: 2 ** 53 },
    { ...good, targetHeight: null },
    { ...good, targetHeight: Number.NaN },
  ])("refuses %j", (result) => {
    expect(() => parseSyncInfo(result)).toThrow(
      new Error("the RPC's stats.syncInfo does not have the form {state, currentHeight, targetHeight}"),
    );
  });
});

describe("parseProduced", () => {
  const good = { height: 9, timestamp: 1_700_000_000, hash: "ab", producer: "z1q" };

  test("returns the time in milliseconds", () => {
    expect(parseProduced(good)).toEqual({ ...good, timestamp: 1_700_000_000_000 });
  });

  test.each([
    null,
    undefined,
    "x",
    {},
    { ...good, height: "9" },
    { ...good, timestamp: "17" },
    { ...good, timestamp: -1 },
    { ...good, hash: 7 },
    { ...good, hash: undefined },
  ])("refuses %j as a momentum", (result) => {
    expect(() => parseProduced(result)).toThrow("momentum does not have the form {height, timestamp, hash, producer}");
  });
});
