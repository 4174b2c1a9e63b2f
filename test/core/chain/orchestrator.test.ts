import http from "node:http";
import net from "node:net";
import { test as base, describe, expect } from "vitest";
import { compareVersions, createOrchestratorClient, redactSecretsAndPaths } from "../../../core/chain/orchestrator";
import { createForwardError } from "../../../core/ssh/sshErrors";
import { evilText, harmless } from "../../evilText";
import { listen } from "./fakes";

type Answer = { status?: number; body: string };
const build = { version: "v0.0.9a", gitCommit: "a".repeat(40), goVersion: "go1.20.14" };
const good = (result: unknown): Answer => ({ body: `${JSON.stringify({ result, error: "" })}\n` });

/** Starts an orchestrator's RPC with these answers in turn, and repeats the last one. */
async function fake(...answers: Answer[]) {
  const asked: { verb: string; type: string; body: string; host: string }[] = [];
  const server = http.createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const { host = "", "content-type": type = "" } = request.headers;
    asked.push({ verb: request.method ?? "", type, body, host });
    const { status = 200, body: text } = (answers.length > 1 ? answers.shift() : answers[0]) ?? { body: "" };
    response.writeHead(status).end(text);
  });
  return { ...(await listen(server)), asked };
}

/** Creates a clock that moves by each sleep. */
function clock() {
  const slept: number[] = [];
  return {
    slept,
    ticks: () => slept.reduce((sum, each) => sum + each, 0),
    sleep: async (milliseconds: number) => void slept.push(milliseconds),
  };
}

const test = base.extend<{ talk: (...answers: Answer[]) => Promise<Talk> }>({
  talk: async ({ task: _task }, provide) => {
    const closers: (() => Promise<void>)[] = [];
    await provide(async (...answers) => {
      const server = await fake(...answers);
      closers.push(server.close);
      const time = clock();
      const client = createOrchestratorClient(
        { forward: async () => net.connect(server.port, "127.0.0.1") },
        55000,
        time,
      );
      return { client, asked: server.asked, slept: time.slept };
    });
    await Promise.all(closers.map((close) => close()));
  },
});
type Talk = { client: ReturnType<typeof createOrchestratorClient>; asked: unknown[]; slept: number[] };

describe("getBuildInfo", () => {
  test("is a POST of method and params as JSON to the loopback address", async ({ talk }) => {
    const { client, asked } = await talk(good(build));
    expect(await client.buildInfo()).toEqual(build);
    expect(asked).toEqual([
      {
        verb: "POST",
        type: "application/json",
        body: '{"method":"getBuildInfo","params":[]}',
        host: "127.0.0.1:55000",
      },
    ]);
  });

  test("accepts a build without a commit", async ({ talk }) => {
    const { client } = await talk(good({ ...build, gitCommit: "" }));
    expect(await client.buildInfo()).toEqual({ ...build, gitCommit: "" });
  });

  test("retries after a delay if the orchestrator answers 429", async ({ talk }) => {
    const busy = { status: 429, body: '{"result":null,"error":"rate limit exceeded"}' };
    const { client, asked, slept } = await talk(busy, busy, good(build));
    expect(await client.buildInfo()).toEqual(build);
    expect(asked).toHaveLength(3);
    expect(slept).toEqual([1200, 1200]);
    const { client: stuck } = await talk(busy);
    await expect(stuck.buildInfo()).rejects.toThrow("429, too many requests, 9 times");
  });

  test("sends at most two requests a second", async ({ talk }) => {
    const { client, slept } = await talk(good({ ...build, state: 0, stateName: "live" }));
    await Promise.all([client.buildInfo(), client.status(), client.identity()]);
    expect(slept).toEqual([600, 600]);
  });

  test.each([
    [
      "its own error, word for word",
      { body: '{"result":null,"error":"node not synced"}' },
      "with the error: node not synced",
    ],
    [
      "its error without what may be secret",
      { body: '{"result":null,"error":"bad passphrase hunter2"}' },
      "bad passphrase [removed]",
    ],
    ["an error with another status", { status: 500, body: '{"error":"boom"}' }, "the error: boom"],
    ["another status", { status: 502, body: "<html>" }, "answers getBuildInfo with 502"],
    ["no such method", { status: 404, body: "" }, "getBuildInfo is answered with 404: another service on the port?"],
    ["no JSON", { body: "hello" }, 'does not have the form {result, error: ""}'],
    ["null", { body: "null" }, "does not have the form"],
    ["no error field", { body: JSON.stringify({ result: build }) }, "does not have the form"],
    ["a version of another form", good({ ...build, version: "0.0.9" }), "version (needed v1.2.3 or v1.2.3a)"],
    [
      "a short commit and another Go",
      good({ ...build, gitCommit: "abc", goVersion: "1.20" }),
      "gitCommit (needed 40 hexadecimal digits, or none), goVersion (needed go1.22.3)",
    ],
  ])("fails for %s", async (_what, answer, words) => {
    const server = await fake(answer);
    const client = createOrchestratorClient(
      { forward: async () => net.connect(server.port, "127.0.0.1") },
      55000,
      clock(),
    );
    await expect(client.buildInfo()).rejects.toThrow(words);
    await server.close();
  });

  test("names a port on which nothing listens", async () => {
    const forward = () =>
      Promise.reject(
        createForwardError(
          "closedPort",
          "nothing listens on 127.0.0.1:55000 of the host: the node restarts or is down",
        ),
      );
    await expect(createOrchestratorClient({ forward }, 55000, clock()).buildInfo()).rejects.toThrow(
      "nothing listens on 127.0.0.1:55000: the orchestrator is down, or still starting",
    );
  });
});

describe("control characters", () => {
  test("are removed, or the value counts as absent", async ({ talk }) => {
    const { client } = await talk(
      good({ state: 1, stateName: evilText, networks: { [evilText]: {} } }),
      good({ producer: evilText, pillarName: "Anvil", tssPeerId: "12D", evmAddress: "0x" }),
      { body: JSON.stringify({ result: null, error: evilText }) },
    );
    expect(await client.status()).toMatchObject({ stateName: "key generation", networks: [harmless] });
    expect(await client.identity()).toMatchObject({ producer: "", pillarName: "Anvil" });
    await expect(client.buildInfo()).rejects.toThrow(`with the error: ${harmless}`);
  });
});

describe("a field that older builds lack", () => {
  test("is undefined", async ({ talk }) => {
    const { client } = await talk({ status: 404, body: '{"result":null,"error":"method not found"}' });
    expect([await client.status(), await client.identity()]).toEqual([undefined, undefined]);
  });

  test("is reported by newer builds", async ({ talk }) => {
    const { client } = await talk(
      good({
        state: 1,
        stateName: "keyGen",
        peersLen: 3,
        frontierMomentum: 7,
        peers: ["12D3KooWa"],
        networks: { Ethereum: { chainId: 1, wrapsToSign: 2, unwrapsToSign: 1 }, "BNB Chain": { wrapsToSign: 0 } },
      }),
      good({ producer: "z1q", pillarName: "Anvil", tssPeerId: "12D", evmAddress: "0x" }),
    );
    expect(await client.status()).toEqual({
      state: 1,
      stateName: "keyGen",
      momentum: 7,
      peers: 3,
      networks: ["Ethereum", "BNB Chain"],
      toSign: 3,
    });
    expect(await client.identity()).toEqual({
      producer: "z1q",
      pillarName: "Anvil",
      tssPeerId: "12D",
      evmAddress: "0x",
    });
  });
});

test.each([
  ["v0.0.9", "v0.0.9a", -1],
  ["v0.0.9b", "v0.0.9a", 1],
  ["v0.0.10", "v0.0.9z", 1],
  ["v1.0.0", "v0.9.9", 1],
  ["v0.0.9a", "v0.0.9a", 0],
])("compares %s with %s", (a, b, order) => {
  expect(Math.sign(compareVersions(a, b))).toBe(order);
});

test("removes access keys of addresses, and what follows a word such as seed", () => {
  expect(redactSecretsAndPaths("dial wss://eth.example/v3/abcdef: refused\nseed: x y\nok")).toBe(
    "dial wss://eth.example/[removed] refused\nseed [removed]\nok",
  );
});
