import { mkdtempSync, rmSync } from "node:fs";
import { type IncomingHttpHeaders, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addressFrom } from "../../lab/doubles/address";
import {
  Chain,
  defaultNodeSettings,
  type NodeSettings,
  type NodeSettingsPatch,
  type ServedChain,
  serveChain,
} from "../../lab/doubles/chain";
import { type Momentum, momentumHash } from "../../lab/doubles/chain/momentum";
import { NodeDouble } from "../../lab/doubles/node/node";

const json = { "content-type": "application/json" };
const syncInfo = (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"stats.syncInfo","params":[]}`;
const call = (method: string, params: string) => `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;

let served: ServedChain;
let node: NodeDouble;
let dataDir: string;

beforeAll(async () => {
  const chain = new Chain({ height: 1000 });
  chain.patchTruth({ defaults: { startRefusedMs: 0, connectMs: 0, behind: 0 } });
  served = await serveChain({ host: "127.0.0.1", port: 0, chain });
  dataDir = mkdtempSync(join(tmpdir(), "node-rpc-"));
  node = new NodeDouble({
    dataDir,
    listen: "127.0.0.1",
    ports: { rpc: 0, ws: 0, p2p: 0 },
    chainUrl: served.url,
    name: "host1",
    pollMs: 20,
    statsCacheMs: 100,
    print: () => undefined,
  });
  await node.start();
});

afterAll(async () => {
  await node.stop();
  await served.close();
  rmSync(dataDir, { recursive: true });
});

interface Sent {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string | undefined;
  /** Headers alone are sent. */
  headersOnly?: boolean;
}

interface Got {
  status: number;
  headers: IncomingHttpHeaders;
  raw: Buffer;
  body: string;
}

/** One request, byte by byte as given, on a connection of its own. */
function send(sent: Sent): Promise<Got> {
  return new Promise((resolve, reject) => {
    const { method = "GET", path = "/", headers = {}, body } = sent;
    const length =
      body === undefined || "transfer-encoding" in headers ? {} : { "content-length": Buffer.byteLength(body) };
    const outgoing = request(`${node.rpcUrl}${path}`, { method, headers: { ...length, ...headers }, agent: false });
    outgoing.on("error", reject).on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject).on("end", () => {
        const raw = Buffer.concat(chunks);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, raw, body: raw.toString() });
        outgoing.destroy();
      });
    });
    if (sent.headersOnly) outgoing.flushHeaders();
    else outgoing.end(body);
  });
}

interface MomentumList {
  count: number;
  list: { height: number }[];
}

const post = async (body: string) => (await send({ method: "POST", headers: json, body })).body;
const result = async (method: string, params: string): Promise<unknown> =>
  (JSON.parse(await post(call(method, params))) as { result: unknown }).result;
const error = async (body: string) => (JSON.parse(await post(body)) as { error: unknown }).error;

describe("HTTP manners", () => {
  it("answers GET with a JSON body, an answer and a newline", async () => {
    const got = await send({ headers: json, body: syncInfo("1") });
    expect(got.status).toBe(200);
    expect(got.headers["content-type"]).toBe("application/json");
    expect(got.body).toMatch(
      /^\{"jsonrpc":"2\.0","id":1,"result":\{"state":2,"currentHeight":100\d,"targetHeight":100\d\}\}\n$/,
    );
  });

  it.each(["GET", "POST", "PATCH"])("answers %s with a chunked body", async (method) => {
    const got = await send({ method, headers: { ...json, "transfer-encoding": "chunked" }, body: syncInfo("2") });
    expect([got.status, got.body.slice(0, 25)]).toEqual([200, '{"jsonrpc":"2.0","id":2,"']);
  });

  it.each<Record<string, string>>([
    {},
    { "content-type": "text/plain" },
    { "content-type": "application/x-www-form-urlencoded" },
  ])("refuses a body with content type %o", async (headers) => {
    const got = await send({ headers, body: syncInfo("1") });
    expect([got.status, got.body]).toEqual([415, "invalid content type, only application/json is supported\n"]);
  });

  it("takes a content type with a character set", async () => {
    const headers = { "content-type": "application/json; charset=utf-8" };
    expect((await send({ headers, body: syncInfo("1") })).status).toBe(200);
  });

  it.each(["PUT", "DELETE"])("refuses %s", async (method) => {
    const got = await send({ method, headers: json, body: syncInfo("1") });
    expect([got.status, got.body]).toEqual([405, "method not allowed\n"]);
  });

  it("knows no path but the root", async () => {
    const got = await send({ path: "/rpc", headers: json, body: syncInfo("1") });
    expect([got.status, got.body]).toEqual([404, ""]);
  });

  it("refuses more than 5 MiB before it came", async () => {
    const headers = { ...json, "content-length": "5242881" };
    const got = await send({ method: "POST", headers, headersOnly: true });
    expect([got.status, got.body]).toEqual([413, "content length too large (5242881>5242880)\n"]);
  });

  it("takes exactly 5 MiB", async () => {
    const body = syncInfo("1").padEnd(5_242_880, " ");
    expect((await send({ method: "POST", headers: json, body })).status).toBe(200);
  });

  it.each(["localhost:35997", "localhost", "pillar.example.org"])("refuses the host name %s", async (host) => {
    const got = await send({ headers: { ...json, host }, body: syncInfo("1") });
    expect([got.status, got.body]).toEqual([403, "invalid host specified\n"]);
  });

  it.each(["10.0.0.5:35997", "127.0.0.1", "[::1]:35997"])("takes the address %s as host", async (host) => {
    expect((await send({ headers: { ...json, host }, body: syncInfo("1") })).status).toBe(200);
  });

  it("says nothing, with status 200, to a GET without a body", async () => {
    const got = await send({});
    expect([got.status, got.body, got.headers["content-type"]]).toEqual([200, "", undefined]);
  });

  it("says nothing, with status 200, to a request without an id", async () => {
    const got = await send({ headers: json, body: '{"jsonrpc":"2.0","method":"stats.syncInfo","params":[]}' });
    expect([got.status, got.body]).toEqual([200, ""]);
  });

  it("compresses for whoever takes gzip", async () => {
    const got = await send({ headers: { ...json, "accept-encoding": "gzip" }, body: syncInfo("1") });
    expect(got.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(got.raw).toString()).toContain('"state":2');
  });
});

describe("JSON-RPC", () => {
  it.each(["1", "1.0", '"a"', "123456789012345678901234567890", "-0.10e+2", '"\\u0041"', "null", "true"])(
    "echoes the id %s byte for byte",
    async (id) => {
      expect(await post(syncInfo(id))).toMatch(`{"jsonrpc":"2.0","id":${id},"result":{`);
    },
  );

  it("answers with its errors at status 200", async () => {
    const got = await send({ method: "POST", headers: json, body: "{" });
    const parseError = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}\n';
    expect([got.status, got.body]).toEqual([200, parseError]);
  });

  it.each([
    ["{}", '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}}\n'],
    ['{"id":7}', '{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"invalid request"}}\n'],
    ['{"id":{},"method":"x"}', '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}}\n'],
    ["5", '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}}\n'],
    ["[]", '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"empty batch"}}\n'],
    ["tru", '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}\n'],
    [" ", ""],
  ])("to %s says %s", async (body, expected) => {
    expect(await post(body)).toBe(expected);
  });

  it("names a method that it does not have", async () => {
    const message = "the method stats.nope does not exist/is not available";
    expect(await error(call("stats.nope", "[]"))).toEqual({ code: -32601, message });
    expect(await error(call("toString", "[]"))).toMatchObject({ code: -32601 });
  });

  it.each([
    ["stats.syncInfo", "[1]", "too many arguments, want at most 0"],
    ["stats.syncInfo", "{}", "non-array args"],
    ["embedded.pillar.getByName", "[]", "missing value for required argument 0"],
    [
      "embedded.pillar.getByName",
      "[5]",
      "invalid argument 0: json: cannot unmarshal number into Go value of type string",
    ],
    [
      "embedded.pillar.getUncollectedReward",
      '["z1q"]',
      "invalid argument 0: decoding bech32 failed: invalid bech32 string length 3",
    ],
    [
      "embedded.pillar.getFrontierRewardByPage",
      `["${addressFrom("a")}",-1,10]`,
      "invalid argument 1: json: cannot unmarshal number -1 into Go value of type uint32",
    ],
    [
      "ledger.getMomentumsByHeight",
      '["5",1]',
      "invalid argument 0: json: cannot unmarshal string into Go value of type uint64",
    ],
    ["ledger.getMomentumByHash", '["abc"]', "invalid argument 0: error hex hash size 3"],
    ["ledger.getMomentumByHash", `["${"z".repeat(64)}"]`, "invalid argument 0: encoding/hex: invalid byte: U+007A 'z'"],
    [
      "ledger.getMomentumByHash",
      "[5]",
      "invalid argument 0: json: cannot unmarshal number into Go value of type types.Hash",
    ],
  ])("refuses %s%s", async (method, params, message) => {
    expect(await error(call(method, params))).toEqual({ code: -32602, message });
  });

  it("answers a batch, leaving out what has no id", async () => {
    const answers = JSON.parse(await post(`[${syncInfo("1")},{"method":"stats.syncInfo"},{}]`)) as { id: unknown }[];
    expect(answers.map(({ id }) => id)).toEqual([1, null]);
  });
});

describe("methods", () => {
  it("give the frontier momentum of the node's height", async () => {
    const momentum = (await result("ledger.getFrontierMomentum", "[]")) as { height: number };
    expect(momentum).toMatchObject({ ...served.chain.momentum(momentum.height) });
  });

  it("give momentums by height, ascending, up to the node's own", async () => {
    const { height } = (await result("ledger.getFrontierMomentum", "[]")) as { height: number };
    const page = (await result("ledger.getMomentumsByHeight", "[990,5]")) as MomentumList;
    expect(page.list).toEqual([990, 991, 992, 993, 994].map((h) => expect.objectContaining(served.chain.momentum(h))));
    expect(page.list[0]).toMatchObject({ version: 1, content: [], data: "", publicKey: "" });
    expect(page.count).toBeGreaterThanOrEqual(height);
    const end = (await result("ledger.getMomentumsByHeight", "[999,1024]")) as MomentumList;
    expect(end.list.map((momentum) => momentum.height)).toEqual(
      Array.from({ length: end.count - 998 }, (_, index) => 999 + index),
    );
    expect(((await result("ledger.getMomentumsByHeight", "[999999,3]")) as MomentumList).list).toEqual([]);
    expect(((await result("ledger.getMomentumsByHeight", "[5,0]")) as MomentumList).list).toEqual([]);
  });

  it("refuse height 0, and more than 1024 momentums or rows", async () => {
    expect(await error(call("ledger.getMomentumsByHeight", "[0,1]"))).toEqual({
      code: -32000,
      message: "height parameter must be strictly greater than zero",
    });
    const pages = JSON.stringify([addressFrom("a"), 0, 1025]);
    expect(await error(call("embedded.pillar.getFrontierRewardByPage", pages))).toEqual({
      code: -32000,
      message: "page-size parameter is too big",
    });
    const tooBig = { code: -32000, message: "count parameter is too big" };
    expect(await error(call("ledger.getMomentumsByHeight", "[1,1025]"))).toEqual(tooBig);
    expect(((await result("ledger.getMomentumsByHeight", "[1,1024]")) as MomentumList).list.length).toBeGreaterThan(
      999,
    );
  });

  it("give a momentum by its hash, and null for a hash that no momentum has", async () => {
    const known = served.chain.momentum(777);
    expect(await result("ledger.getMomentumByHash", JSON.stringify([known?.hash]))).toMatchObject({ ...known });
    expect(await result("ledger.getMomentumByHash", JSON.stringify(["0".repeat(64)]))).toBeNull();
    expect(await result("ledger.getMomentumByHash", JSON.stringify([momentumHash("lab", 5_000)]))).toBeNull();
    expect(await result("ledger.getMomentumByHash", JSON.stringify([momentumHash("other", 777)]))).toBeNull();
  });

  it("show nothing above the height at which the node stands", async () => {
    served.chain.patchNode("host1", { stall: true });
    await new Promise((resolve) => setTimeout(resolve, 60));
    const { height } = (await result("ledger.getFrontierMomentum", "[]")) as { height: number };
    served.chain.patchTruth({ height: height + 100 });
    try {
      const page = (await result("ledger.getMomentumsByHeight", `[${height},50]`)) as MomentumList;
      expect([page.count, page.list.map((momentum) => momentum.height)]).toEqual([height, [height]]);
      const next = served.chain.momentum(height + 1)?.hash;
      expect(await result("ledger.getMomentumByHash", JSON.stringify([next]))).toBeNull();
    } finally {
      served.chain.patchNode("host1", { stall: false });
    }
  });

  it("give peers, version and machine", async () => {
    const info = (await result("stats.networkInfo", "[]")) as { numPeers: number; peers: unknown[]; self: object };
    expect([info.numPeers, info.peers.length]).toEqual([8, 8]);
    expect(info.self).toMatchObject({ ip: "127.0.0.1", publicKey: expect.stringMatching(/^[0-9a-f]{128}$/) });
    expect(await result("stats.processInfo", "[]")).toMatchObject({ version: "v0.0.8" });
    expect(await result("stats.osInfo", "[]")).toMatchObject({ os: "linux", numCPU: expect.any(Number) });
  });

  it("give null for a Pillar that nobody registered, and zero figures at first", async () => {
    expect(await result("embedded.pillar.getByName", '["Anvil"]')).toBeNull();
    served.chain.patchPillar("Anvil", { producerAddress: addressFrom("p"), withdrawAddress: addressFrom("w") });
    const none = { producedMomentums: 0, expectedMomentums: 0 };
    const first = await result("embedded.pillar.getByName", '["Anvil"]');
    expect(first).toMatchObject({ name: "Anvil", rank: 0, isRevocable: true, currentStats: none, weight: "0" });
    expect(first).toMatchObject({ producerAddress: addressFrom("p"), withdrawAddress: addressFrom("w") });
    await new Promise((resolve) => setTimeout(resolve, 120));
    await result("embedded.pillar.getByName", '["Anvil"]');
    const later = (await result("embedded.pillar.getByName", '["Anvil"]')) as { weight: string };
    expect(later.weight).toBe("1500000000000000");
  });

  it("give all Pillars of the network by weight, and what one did in paid epochs", async () => {
    const all = (await result("embedded.pillar.getAll", "[0,1024]")) as { count: number; list: object[] };
    expect([all.count, all.list.length]).toEqual([4, 4]);
    expect(all.list[0]).toMatchObject({ name: "Anvil", rank: 0, giveMomentumRewardPercentage: 0 });
    expect(await result("embedded.pillar.getPillarEpochHistory", '["Anvil",0,5]')).toEqual({ count: 0, list: [] });
  });

  it("give rewards with amounts as strings", async () => {
    const address = addressFrom("owner");
    const asked = JSON.stringify([address]);
    expect(await result("embedded.pillar.getUncollectedReward", asked)).toEqual({
      address,
      znnAmount: "0",
      qsrAmount: "0",
    });
    served.chain.patchRewards(address, { history: [{ epoch: 3, znnAmount: "1", qsrAmount: "2" }] });
    expect(await result("embedded.pillar.getFrontierRewardByPage", JSON.stringify([address, 0, 5]))).toEqual({
      count: 1,
      list: [{ epoch: 3, znnAmount: "1", qsrAmount: "2" }],
    });
  });
});

describe("lies", () => {
  const lying = async (settings: NodeSettingsPatch, look: () => Promise<void>) => {
    const patch = async (given: NodeSettingsPatch) => {
      served.chain.patchNode("host1", given);
      await new Promise((resolve) => setTimeout(resolve, 60));
    };
    await patch(settings);
    try {
      await look();
    } finally {
      const natural = Object.keys(settings).map((key) => [key, defaultNodeSettings[key as keyof NodeSettings]]);
      await patch(Object.fromEntries(natural) as NodeSettingsPatch);
    }
  };
  const unknown = async (method: string, params: string) =>
    expect(await error(call(method, params))).toEqual({
      code: -32601,
      message: `the method ${method} does not exist/is not available`,
    });
  const address = addressFrom("owner");

  it("deny a Pillar that is registered, or claim another producer for it", async () => {
    served.chain.patchPillar("Liar", { producerAddress: addressFrom("true") });
    await lying({ nullPillar: true }, async () => {
      expect(await result("embedded.pillar.getByName", '["Liar"]')).toBeNull();
    });
    await lying({ forceProducer: addressFrom("claimed") }, async () => {
      const claimed = { name: "Liar", producerAddress: addressFrom("claimed") };
      expect(await result("embedded.pillar.getByName", '["Liar"]')).toMatchObject(claimed);
    });
    const truth = { producerAddress: addressFrom("true") };
    expect(await result("embedded.pillar.getByName", '["Liar"]')).toMatchObject(truth);
  });

  it("about the height hold for the momentums too", async () => {
    await lying({ forceHeight: 500 }, async () => {
      const page = (await result("ledger.getMomentumsByHeight", "[499,9]")) as MomentumList;
      expect([page.count, page.list.map(({ height }) => height)]).toEqual([500, [499, 500]]);
      const beyond = JSON.stringify([momentumHash("lab", 501)]);
      expect(await result("ledger.getMomentumByHash", beyond)).toBeNull();
    });
  });

  it("are told of another chain by all its hashes", async () => {
    const known = served.chain.momentum(700);
    await lying({ otherChain: true }, async () => {
      const page = (await result("ledger.getMomentumsByHeight", "[699,2]")) as { list: Momentum[] };
      const [before, other] = page.list;
      expect(other).toMatchObject({ height: 700, timestamp: known?.timestamp, previousHash: before?.hash });
      expect(other?.hash).not.toBe(known?.hash);
      expect(await result("ledger.getMomentumByHash", JSON.stringify([known?.hash]))).toBeNull();
      expect(await result("ledger.getMomentumByHash", JSON.stringify([other?.hash]))).toEqual(other);
      const frontier = (await result("ledger.getFrontierMomentum", "[]")) as Momentum;
      expect(frontier.hash).not.toBe(served.chain.momentum(frontier.height)?.hash);
    });
  });

  it("tell another version from the next start on alone, as a program that was replaced does", async () => {
    await lying({ version: "v0.0.10" }, async () => {
      expect(await result("stats.processInfo", "[]")).toMatchObject({ version: "v0.0.8" });
    });
  });

  it("hide the methods of rewards, or of past momentums, and no other", async () => {
    await lying({ noRewards: true }, async () => {
      await unknown("embedded.pillar.getUncollectedReward", JSON.stringify([address]));
      await unknown("embedded.pillar.getFrontierRewardByPage", JSON.stringify([address, 0, 5]));
      expect(await result("ledger.getMomentumsByHeight", "[5,1]")).toMatchObject({ list: [{ height: 5 }] });
    });
    await lying({ noMomentums: true }, async () => {
      await unknown("ledger.getMomentumsByHeight", "[5,1]");
      await unknown("ledger.getMomentumByHash", `["${"0".repeat(64)}"]`);
      expect(await result("embedded.pillar.getUncollectedReward", JSON.stringify([address]))).toMatchObject({
        address,
      });
      expect(await result("ledger.getFrontierMomentum", "[]")).toMatchObject({ version: 1 });
    });
  });
});
