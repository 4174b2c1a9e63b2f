import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, test } from "vitest";
import { addressFrom } from "../../lab/doubles/address.ts";
import { Chain, serveChain } from "../../lab/doubles/chain/index.ts";
import { NodeDouble } from "../../lab/doubles/node/node.ts";
import { differences } from "../shape.ts";

type Answer = Parameters<typeof differences>[0];

/** A request to go-zenon v0.0.8 that the program never sends, and what it answered. */
interface Manner {
  readonly what: string;
  readonly verb: string;
  readonly type: string | null;
  readonly body: string | null | { readonly spaces: number };
  readonly answer: { readonly status: number; readonly body: string };
}

const recorded = JSON.parse(readFileSync(join(import.meta.dirname, "../fixtures/goZenon.json"), "utf8")) as {
  readonly producing: Record<string, Answer>;
  readonly "fast, collected": Record<string, Answer>;
  readonly edges: Record<string, Answer>;
  readonly manners: readonly Manner[];
};

const dataDir = mkdtempSync(join(tmpdir(), "node-rpc-"));
let served: Awaited<ReturnType<typeof serveChain>>;
let node: NodeDouble;

beforeAll(async () => {
  const chain = new Chain({ height: 300 });
  chain.patchTruth({ defaults: { behind: 0, rate: 1e6, startRefusedMs: 0, peerMs: 1 }, epochSeconds: 600 });
  chain.patchPillar("Anvil", {});
  served = await serveChain({ host: "127.0.0.1", port: 0, chain });
  node = new NodeDouble({
    dataDir,
    listen: "127.0.0.1",
    ports: { rpc: 0, ws: 0, p2p: 0 },
    chainUrl: served.url,
    name: "host1",
    print: () => undefined,
  });
  await node.start();
});
afterAll(async () => {
  await node.stop();
  await served.close();
  rmSync(dataDir, { recursive: true });
});

async function send({ verb, type, body }: Pick<Manner, "verb" | "type" | "body">) {
  const text = body !== null && typeof body === "object" ? " ".repeat(body.spaces) : body;
  const headers = type === null ? undefined : { "content-type": type };
  // fetch sends no body with GET, and the program's own client does.
  return new Promise<Manner["answer"]>((resolve, reject) => {
    const asked = request(node.rpcUrl, { method: verb, headers, agent: false }, async (response) => {
      const said = Buffer.concat(await response.toArray()).toString("utf8");
      resolve({ status: response.statusCode ?? 0, body: said.replace(/\n$/, "") });
    });
    asked.on("error", reject);
    if (text !== null) asked.setHeader("content-length", Buffer.byteLength(text));
    asked.end(text ?? undefined);
  });
}

async function ask(method: string, ...params: readonly unknown[]): Promise<Answer> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  return JSON.parse((await send({ verb: "POST", type: "application/json", body })).body);
}

const address = "z1qzf5ymqkkvlxg56l4a9gj00pu73ucdc7tmk23j";
const calls: Record<string, readonly unknown[]> = {
  "stats.syncInfo": [],
  "stats.networkInfo": [],
  "stats.processInfo": [],
  "ledger.getFrontierMomentum": [],
  "ledger.getMomentumBeforeTime": [Math.floor(Date.now() / 1000)],
  "ledger.getMomentumsByHeight": [1, 3],
  "embedded.pillar.getByName": ["Anvil"],
  "embedded.pillar.getAll": [0, 5],
  "embedded.pillar.getUncollectedReward": [address],
  "embedded.spork.getAll": [0, 5],
  "embedded.bridge.getBridgeInfo": [],
};

it.each(Object.entries(calls))("%s has the real node's keys and types", async (method, params) => {
  const answer = await ask(method, ...params);
  expect(answer).toHaveProperty("result");
  expect(differences(recorded.producing[method], answer)).toEqual([]);
});

test("a recorded method is compared, except osInfo, which nobody asks for", () => {
  const paged = ["embedded.pillar.getFrontierRewardByPage", "embedded.pillar.getPillarEpochHistory"];
  const all = [...Object.keys(calls), ...paged, "stats.osInfo"];
  expect(all.toSorted()).toEqual(Object.keys(recorded.producing).toSorted());
});

it.each<[string, string, readonly unknown[]]>([
  ["atGenesis", "ledger.getMomentumBeforeTime", [0]],
  ["beyond", "ledger.getMomentumsByHeight", [1_000_000, 5]],
  ["epochNotPaid", "embedded.pillar.getPillarEpochHistory", ["Nobody", 0, 5]],
  ["noRows", "embedded.pillar.getFrontierRewardByPage", [address, 0, 5]],
  ["noMethod", "embedded.pillar.nope", []],
  ["noPillar", "embedded.pillar.getByName", ["Nobody"]],
  ["tooMany", "ledger.getMomentumsByHeight", [1, 1025]],
  ["height0", "ledger.getMomentumsByHeight", [0, 1]],
  ["unknownAddress", "embedded.pillar.getUncollectedReward", ["z1qqvwzz2xq7q5gwk6uhcddgrpxlfcyzc8rsu82s"]],
])("at the edge %s it answers as the real node", async (edge, method, params) => {
  const wanted = recorded.edges[edge] as { result?: { count?: number } | null };
  const answer = await ask(method, ...params);
  const ofChain = wanted.result?.count === undefined ? {} : { result: { ...wanted.result, count: expect.any(Number) } };
  expect(answer).toEqual({ ...wanted, ...ofChain });
});

test("a fork has other hashes from its first momentum on, which follows one of the common chain", async () => {
  type Momentums = { result: { list: { hash: string; previousHash: string }[] } };
  const chain = async () => ((await ask("ledger.getMomentumsByHeight", 1, 4)) as unknown as Momentums).result.list;
  const common = await chain();
  served.chain.patchNode("host1", { forkFrom: 3 });
  await expect.poll(async () => (await chain())[3]?.hash).not.toBe(common[3]?.hash);
  const fork = await chain();
  expect(fork.map(({ hash }, at) => hash === common[at]?.hash)).toEqual([true, true, false, false]);
  expect([fork[2]?.previousHash, fork[3]?.previousHash]).toEqual([common[1]?.hash, fork[2]?.hash]);
  served.chain.patchNode("host1", { forkFrom: null });
  await expect.poll(chain).toEqual(common);
});

test("a Pillar is shown as it is registered, and ranks by its weight", async () => {
  const { weight, ...shown } = {
    producerAddress: addressFrom("producer"),
    withdrawAddress: addressFrom("rewards"),
    ownerAddress: addressFrom("owner"),
    giveMomentumRewardPercentage: 20,
    giveDelegateRewardPercentage: 90,
    weight: "2000000000000000",
  };
  const rank = async () => (await ask("embedded.pillar.getByName", "Bolt")) as { result: { rank: number } };
  served.chain.patchPillar("Bolt", shown);
  expect((await rank()).result).toMatchObject({ ...shown, rank: 1 });
  served.chain.patchPillar("Bolt", { weight });
  expect((await rank()).result).toMatchObject({ ...shown, rank: 0 });
});

it.each(recorded.manners.map((manner) => [manner.what, manner] as const))(
  "%s is answered as there",
  async (_, manner) => {
    const answer = await send(manner);
    // The double's build has another commit.
    const versionless = ({ status, body }: Manner["answer"]) => ({ status, body: body.replace(/"commit":"\w*"/, "") });
    expect(versionless(answer)).toEqual(versionless(manner.answer));
  },
);

it.each(["getFrontierRewardByPage", "getPillarEpochHistory"])("%s has the real node's rows", async (name) => {
  const method = `embedded.pillar.${name}`;
  // The last test of the file: from here on epochs end, and are paid at once.
  served.chain.patchTruth({ rewardDelaySeconds: 0, epochSeconds: 1, momentumSeconds: 1 });
  const rows = async () => {
    const answer = (await ask(method, name === "getPillarEpochHistory" ? "Anvil" : address, 0, 5)) as {
      result: { list: Answer[] };
    };
    expect(differences(recorded["fast, collected"][method], answer as never)).toEqual([]);
    return answer.result.list.length;
  };
  await expect.poll(rows, { timeout: 5000 }).toBeGreaterThan(name === "getPillarEpochHistory" ? 0 : -1);
});
