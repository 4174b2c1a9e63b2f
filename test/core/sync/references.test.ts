import http from "node:http";
import type net from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { compareReferences, type ReferenceReading, readReference } from "../../../core/sync/references";
import { closedPort } from "../chain/fakes";

const clock = Date.UTC(2026, 0, 2);
const at = (name: string, height: number, age?: number): ReferenceReading => ({
  url: `http://${name}`,
  height,
  ...(age === undefined ? {} : { timestamp: clock - age }),
});
const down = (name: string, error?: string): ReferenceReading => ({
  url: `http://${name}`,
  ...(error === undefined ? {} : { error }),
});

describe("compare a height of 1000, tolerance 20", () => {
  test.each<[string, ReferenceReading[], object]>([
    ["none is given", [], { verdict: "unknown", notes: [] }],
    [
      "all are down",
      [down("a", "ECONNREFUSED"), down("b")],
      {
        verdict: "unknown",
        notes: ["reference http://a gives no height: ECONNREFUSED", "reference http://b gives no height: no answer"],
      },
    ],
    ["a single one that agrees", [at("a", 1000)], { verdict: "unknown", median: 1000, notes: [] }],
    [
      "a single one only warns",
      [at("a", 1021)],
      { verdict: "unknown", median: 1021, notes: ["the only reference that answers, http://a, is at 1021"] },
    ],
    ["two agree", [at("a", 980), at("b", 1020)], { verdict: "agrees", median: 1000, notes: [] }],
    ["two agree at the tolerance", [at("a", 1020), at("b", 1020)], { verdict: "agrees", median: 1020, notes: [] }],
    ["two disagree beyond it", [at("a", 1021), at("b", 1021)], { verdict: "disagrees", median: 1021, notes: [] }],
    ["two are below it", [at("a", 979), at("b", 979)], { verdict: "disagrees", median: 979, notes: [] }],
    [
      "two that differ: nobody knows which lies",
      [at("a", 1000), at("b", 5000)],
      { verdict: "unknown", notes: ["the references disagree among themselves: http://a 1000, http://b 5000"] },
    ],
    [
      "a liar among three is named",
      [at("a", 1001), at("b", 9_000_000), at("c", 1003)],
      { verdict: "agrees", median: 1003, notes: ["reference http://b says 9000000, the others 1003"] },
    ],
    [
      "a liar that says what the node says",
      [at("a", 5001), at("b", 1000), at("c", 5003)],
      { verdict: "disagrees", median: 5001, notes: ["reference http://b says 1000, the others 5001"] },
    ],
    [
      "one lags: named and left out",
      [at("a", 1001, 3000), at("b", 900, 120_001), at("c", 1001, 120_000)],
      { verdict: "agrees", median: 1001, notes: ["reference http://b lags: its newest momentum is 2 min old"] },
    ],
    [
      "one is down",
      [at("a", 1001), down("b", "ECONNREFUSED"), at("c", 1001)],
      { verdict: "agrees", median: 1001, notes: ["reference http://b gives no height: ECONNREFUSED"] },
    ],
    [
      "four, of which two differ",
      [at("a", 1000), at("b", 1000), at("c", 5000), at("d", 5000)],
      {
        verdict: "unknown",
        notes: ["the references disagree among themselves: http://a 1000, http://b 1000, http://c 5000, http://d 5000"],
      },
    ],
    [
      "of five, two that are left agree: they may be the liars",
      [at("a", 1000), at("b", 1000), down("c", "x"), down("d", "x"), down("e", "x")],
      {
        verdict: "unknown",
        median: 1000,
        notes: ["c", "d", "e"].map((name) => `reference http://${name} gives no height: x`),
      },
    ],
  ])("%s", (_what, readings, agreement) => {
    expect(compareReferences(1000, readings, 20, clock)).toEqual(agreement);
  });
});

describe("readReference", () => {
  let server: http.Server | undefined;
  const asked: { method?: string | undefined; type?: string | undefined; body: string }[] = [];

  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
    asked.length = 0;
  });

  /** A server that gives this answer to every question; none where it is undefined. */
  async function serve(body: string | undefined, status = 200): Promise<string> {
    const answering = http.createServer((request, response) => {
      let text = "";
      request.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      request.on("end", () => {
        asked.push({ method: request.method, type: request.headers["content-type"], body: text });
        if (body !== undefined) response.writeHead(status).end(body);
      });
    });
    server = answering;
    await new Promise<void>((resolve) => answering.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(answering.address() as net.AddressInfo).port}`;
  }

  test("asks for the newest momentum", async () => {
    const url = await serve('{"jsonrpc":"2.0","id":1,"result":{"height":7,"timestamp":1700000000,"hash":"ab"}}\n');
    expect(await readReference(url)).toEqual({
      url,
      height: 7,
      clock: expect.any(Number),
      timestamp: 1_700_000_000_000,
    });
    expect(asked.map(({ body, ...rest }) => ({ ...rest, body: JSON.parse(body) }))).toEqual([
      {
        method: "POST",
        type: "application/json",
        body: { jsonrpc: "2.0", id: 1, method: "ledger.getFrontierMomentum", params: [] },
      },
    ]);
  });

  test.each<[string, string, number, string]>([
    ["another form", '{"result":{"height":-7}}', 200, "its answer is no momentum"],
    ["null", '{"result":null}', 200, "its answer is no momentum"],
    ["empty", "", 200, "the RPC gives an empty answer"],
    ["half of it", '{"result":{"hei', 200, "the RPC's answer is not JSON: cut off, or another service on its port"],
    ["an error", '{"error":{"code":-32601,"message":"no"}}', 200, "the RPC answers with error -32601: no"],
    ["403", "", 403, "the RPC answers 403, the node refuses the Host header"],
    ["502", "<html>", 502, "the RPC answers 502"],
  ])("an odd answer is its error: %s", async (_what, body, status, error) => {
    const url = await serve(body, status);
    expect(await readReference(url)).toEqual({ url, error });
  });

  test("nobody there", async () => {
    const url = `http://127.0.0.1:${await closedPort()}`;
    expect(await readReference(url)).toEqual({ url, error: "ECONNREFUSED" });
  });

  test("one that never answers", async () => {
    const url = await serve(undefined);
    expect(await readReference(url, 50)).toEqual({ url, error: "The operation was aborted due to timeout" });
  });
});
