import http from "node:http";
import net from "node:net";
import { expect, test } from "vitest";
import { compareVersions, createOrchestratorClient } from "../../../core/chain/orchestrator.ts";
import { ProblemError } from "../../../core/util/problem.ts";
import { evilText, harmless } from "../../evilText.ts";
import { listen, use } from "./fakes.ts";

type Answer = { status?: number; body: string };
const build = { version: "v0.0.9a", gitCommit: "a".repeat(40), goVersion: "go1.20.14" };
const good = (result: unknown): Answer => ({ body: `${JSON.stringify({ result, error: "" })}\n` });

/** Returns a client of an orchestrator that gives these answers in turn, and repeats the last one. */
async function talk(...answers: Answer[]) {
  const asked: object[] = [];
  const slept: number[] = [];
  const server = http.createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const { host, "content-type": type } = request.headers;
    asked.push({ verb: request.method, type, body, host });
    const { status = 200, body: text } = (answers.length > 1 ? answers.shift() : answers[0]) ?? { body: "" };
    response.writeHead(status).end(text);
  });
  const { port } = await use(listen(server));
  const sleep = async (milliseconds: number) => void slept.push(milliseconds);
  const client = createOrchestratorClient({ forward: async () => net.connect(port, "127.0.0.1") }, 55000, { sleep });
  return { client, asked, slept };
}

test("getBuildInfo is a POST of method and params as JSON to the loopback address", async () => {
  const { client, asked } = await talk(good(build), good({ ...build, gitCommit: "" }));
  expect(await client.buildInfo()).toEqual(build);
  const body = '{"method":"getBuildInfo","params":[]}';
  expect(asked).toEqual([{ verb: "POST", type: "application/json", body, host: "127.0.0.1:55000" }]);
  expect(await client.buildInfo()).toEqual({ ...build, gitCommit: "" });
});

test("getBuildInfo retries after a delay if the orchestrator answers 429", async () => {
  const busy = { status: 429, body: '{"result":null,"error":"rate limit exceeded"}' };
  const { client, asked, slept } = await talk(busy, busy, good(build));
  expect(await client.buildInfo()).toEqual(build);
  expect(asked).toHaveLength(3);
  expect(slept).toEqual([1200, 1200]);
  const { client: stuck } = await talk(busy);
  await expect(stuck.buildInfo()).rejects.toThrow("429, too many requests, 9 times");
});

const error = (text: string) => ({ body: JSON.stringify({ result: null, error: text }) });
test.each([
  ["its own error", error("node not synced"), "with the error: node not synced"],
  ["its error without what may be secret", error("bad passphrase hunter2"), "bad passphrase [removed]"],
  ["its error without control characters", error(evilText), `with the error: ${harmless}`],
  ["an error with another status", { status: 500, body: '{"error":"boom"}' }, "the error: boom"],
  ["another status", { status: 502, body: "<html>" }, "answers getBuildInfo with 502"],
  ["no such method", { status: 404, body: "" }, "getBuildInfo is answered with 404: another service on the port?"],
  ["no JSON", { body: "hello" }, 'does not have the form {result, error: ""}'],
  ["null", { body: "null" }, "does not have the form"],
  ["no error field", { body: JSON.stringify({ result: build }) }, "does not have the form"],
  ["a version of another form", good({ ...build, version: "0.0.9" }), "does not have the specified form: version"],
  ["other forms", good({ ...build, gitCommit: "abc", goVersion: "1.20" }), "form: gitCommit, goVersion"],
])("getBuildInfo fails for %s", async (_what, answer, words) => {
  const { client } = await talk(answer);
  await expect(client.buildInfo()).rejects.toThrow(words);
});

test("getBuildInfo names a port on which nothing listens", async () => {
  const forward = () => Promise.reject(new ProblemError({ kind: "closedPort", what: "nothing listens" }));
  const client = createOrchestratorClient({ forward }, 55000, { sleep: async () => undefined });
  const said = "nothing listens on 127.0.0.1:55000: the orchestrator is down, or still starting";
  await expect(client.buildInfo()).rejects.toThrow(said);
});

const identity = { producer: "z1q", pillarName: "Anvil", tssPeerId: "12D", evmAddress: "0x" };

test("status and identity are undefined if an older build lacks them", async () => {
  const { client } = await talk({ status: 404, body: '{"result":null,"error":"method not found"}' });
  expect([await client.status(), await client.identity()]).toEqual([undefined, undefined]);
});

test("status and identity are reported by newer builds", async () => {
  const networks = { Ethereum: { wrapsToSign: 2, unwrapsToSign: 1 }, "BNB Chain": { wrapsToSign: 0 } };
  const status = { state: 1, stateName: "keyGen", peersLen: 3, frontierMomentum: 7, networks };
  const { client } = await talk(good(status), good(identity));
  expect(await client.status()).toEqual({ state: 1, stateName: "keyGen", momentum: 7, peers: 3, toSign: 3 });
  expect(await client.identity()).toEqual(identity);
});

test("status and identity have no control characters", async () => {
  const status = { state: 1, stateName: evilText };
  const { client } = await talk(good(status), good({ ...identity, producer: evilText }));
  expect(await client.status()).toMatchObject({ stateName: "key generation" });
  expect(await client.identity()).toEqual({ ...identity, producer: "" });
});

test("compares versions", () => {
  const order = (a: string, b: string) => Math.sign(compareVersions(a, b));
  expect([order("v0.0.9", "v0.0.9a"), order("v0.0.9a", "v0.0.9a")]).toEqual([-1, 0]);
  expect([order("v0.0.9b", "v0.0.9a"), order("v0.0.10", "v0.0.9z")]).toEqual([1, 1]);
});
