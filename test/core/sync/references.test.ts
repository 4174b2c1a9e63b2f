import http from "node:http";
import type net from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { openReferenceChain } from "../../../core/chain/chain";
import {
  compareReferences,
  type ReferenceAgreement,
  type ReferenceReading,
  readReferences,
} from "../../../core/sync/references";
import { closedPort, fakeNode, type Server } from "../chain/fakes";
import { atHeight, seenFrom, silent } from "../chain/readings";

/** Witnesses of the chain are tested in witnesses.test.ts. */
const textual = ({ notes, witnesses: _, ...agreement }: ReferenceAgreement) => ({
  ...agreement,
  notes: notes.map(({ text }) => text),
});

describe("references of a height of 1000 with a tolerance of 20", () => {
  test.each<[string, ReferenceReading[], object]>([
    ["none", [], { verdict: "unknown", notes: [] }],
    [
      "all are down",
      [silent("a", "ECONNREFUSED"), silent("b", "no answer")],
      {
        verdict: "unknown",
        notes: ["a is left out: ECONNREFUSED", "b is left out: no answer"],
      },
    ],
    ["a single one that agrees", [atHeight("a", 1000)], { verdict: "unknown", median: 1000, notes: [] }],
    [
      "a single one only warns",
      [atHeight("a", 1021)],
      { verdict: "unknown", median: 1021, notes: ["only a answers, and is at height 1021"] },
    ],
    ["two agree", [atHeight("a", 980), atHeight("b", 1020)], { verdict: "agrees", median: 1000, notes: [] }],
    [
      "two agree at the tolerance",
      [atHeight("a", 1020), atHeight("b", 1020)],
      { verdict: "agrees", median: 1020, notes: [] },
    ],
    [
      "two disagree beyond it",
      [atHeight("a", 1021), atHeight("b", 1021)],
      { verdict: "disagrees", median: 1021, notes: [] },
    ],
    ["two are below it", [atHeight("a", 979), atHeight("b", 979)], { verdict: "disagrees", median: 979, notes: [] }],
    [
      "two differ, so neither is trusted",
      [atHeight("a", 1000), atHeight("b", 5000)],
      { verdict: "unknown", notes: ["the references disagree among themselves: a 1000, b 5000"] },
    ],
    [
      "a liar among three is named",
      [atHeight("a", 1001), atHeight("b", 9_000_000), atHeight("c", 1003)],
      { verdict: "agrees", median: 1003, notes: ["b is at height 9000000, the others at 1003"] },
    ],
    [
      "a liar that agrees with the node",
      [atHeight("a", 5001), atHeight("b", 1000), atHeight("c", 5003)],
      { verdict: "disagrees", median: 5001, notes: ["b is at height 1000, the others at 5001"] },
    ],
    [
      "one lags and is left out",
      [atHeight("a", 1001, 3000), atHeight("b", 900, 120_001), atHeight("c", 1001, 120_000)],
      {
        verdict: "agrees",
        median: 1001,
        notes: ["b is left out: it is behind: its newest momentum, 900, is 2 min old"],
      },
    ],
    [
      "one is down",
      [atHeight("a", 1001), silent("b", "ECONNREFUSED"), atHeight("c", 1001)],
      { verdict: "agrees", median: 1001, notes: ["b is left out: ECONNREFUSED"] },
    ],
    [
      "two of four differ",
      [atHeight("a", 1000), atHeight("b", 1000), atHeight("c", 5000), atHeight("d", 5000)],
      {
        verdict: "unknown",
        notes: ["the references disagree among themselves: a 1000, b 1000, c 5000, d 5000"],
      },
    ],
    [
      "two of five answer and agree, but may be liars",
      [atHeight("a", 1000), atHeight("b", 1000), silent("c", "x"), silent("d", "x"), silent("e", "x")],
      {
        verdict: "unknown",
        median: 1000,
        notes: ["c", "d", "e"].map((name) => `${name} is left out: x`),
      },
    ],
  ])("give a verdict: %s", (_what, readings, agreement) => {
    expect(textual(compareReferences(1000, seenFrom(1000, readings), 20))).toEqual(agreement);
  });
});

describe("a reference", () => {
  const read = async (url: string, limit?: number) => (await readReferences([url], undefined, limit)).readings[0];
  let server: http.Server | undefined;
  const used: Server[] = [];
  const use = <T extends Server>(each: T): T => {
    used.push(each);
    return each;
  };
  const asked: { method?: string | undefined; type?: string | undefined; body: string }[] = [];

  afterEach(() => {
    for (const each of used.splice(0)) void each.close();
    server?.closeAllConnections();
    server?.close();
    asked.length = 0;
  });

  /** Starts a server with this answer to every request, or none if it is undefined. */
  async function serve(body: string | undefined, headers = {}): Promise<string> {
    const answering = http.createServer((request, response) => {
      let text = "";
      request.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      request.on("end", () => {
        asked.push({ method: request.method, type: request.headers["content-type"], body: text });
        if (body !== undefined) response.writeHead(200, headers).end(body);
      });
    });
    server = answering;
    await new Promise<void>((resolve) => answering.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(answering.address() as net.AddressInfo).port}`;
  }

  test("asks for the newest momentum", async () => {
    const url = await serve(
      '{"jsonrpc":"2.0","id":1,"result":{"height":7,"timestamp":1700000000,"hash":"ab","producer":"z1q"}}\n',
      {
        date: new Date(1_700_000_000_000).toUTCString(),
      },
    );
    expect(await read(url)).toEqual({
      client: expect.objectContaining({ name: `reference ${url}` }),
      newest: { height: 7, timestamp: 1_700_000_000_000, hash: "ab", producer: "z1q" },
      recent: [],
      older: [],
      clock: 1_700_000_000_000,
    });
    expect(asked.map(({ body, ...rest }) => ({ ...rest, body: JSON.parse(body) }))).toEqual([
      {
        method: "POST",
        type: "application/json",
        body: { jsonrpc: "2.0", id: 1, method: "ledger.getFrontierMomentum", params: [] },
      },
    ]);
  });

  test("reports an odd answer", async () => {
    const url = await serve('{"result":{"height":-7}}');
    const why = "the RPC's momentum does not have the form {height, timestamp, hash, producer}";
    expect(await read(url)).toMatchObject({ fault: { kind: "silent", why } });
  });

  test("reads the momentums at each other's heights for the comparison", async () => {
    const one = (height: number) => ({ height, timestamp: 1_700_000_000, hash: `h${height}`, producer: "z1q" });
    const node = use(await fakeNode({ "ledger.getMomentumsByHeight": (from: number) => ({ list: [one(from)] }) }));
    const refs = await Promise.all(
      [7, 3000].map(async (height) => {
        const { timestamp: _, ...rest } = one(height);
        const now = { ...rest, timestamp: Math.floor(Date.now() / 1000) };
        return use(
          await fakeNode({
            "ledger.getFrontierMomentum": now,
            "ledger.getMomentumsByHeight": (from: number) => ({ list: [one(from)] }),
          }),
        );
      }),
    );
    const at = ({ port }: { port: number }) => `http://127.0.0.1:${port}`;
    const own = { client: openReferenceChain(at(node)), newest: { height: 1000, hash: "h1000" } };
    const seen = await readReferences(refs.map(at), own);
    expect(seen.readings).toMatchObject([{ older: [] }, { older: [{ height: 1000, hash: "h1000" }] }]);
    expect(seen.own).toMatchObject({ newest: own.newest, older: [{ height: 7, hash: "h7" }] });
    expect(node.asked).toHaveLength(1);
  });

  test("is left out if nothing listens", async () => {
    const url = `http://127.0.0.1:${await closedPort()}`;
    expect(await read(url)).toMatchObject({ fault: { kind: "silent", why: "ECONNREFUSED" } });
  });

  test("is left out if it never answers", async () => {
    const url = await serve(undefined);
    expect(await read(url, 50)).toMatchObject({ fault: { kind: "silent", why: "no answer within 0.05 s" } });
  });
});
