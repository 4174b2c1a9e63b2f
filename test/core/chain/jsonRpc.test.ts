import http from "node:http";
import net from "node:net";
import { expect, test } from "vitest";
import { openReferenceChain } from "../../../core/chain/chain.ts";
import { callHttp, rpcBody } from "../../../core/chain/jsonRpc.ts";
import { closedPort, fakeNode, listen, use } from "./fakes.ts";

const [whom, host] = ["the node", "127.0.0.1"];
const call = (port: number, { body = "{}", timeout = 2000 } = {}) =>
  callHttp(async () => net.connect(port, host), { verb: "GET", authority: `${host}:${port}`, body, timeout, whom });
const silent = { verb: "GET", authority: "a", body: "", timeout: 30, whom } as const;
const serve = (listener: http.RequestListener) => use(listen(http.createServer(listener)));

const type = { "content-type": "application/json" };

test("the request is a GET of / with a JSON body, its type and length in bytes, and an address as Host", async () => {
  const node = await use(fakeNode({ m: 7 }));
  await call(node.port, { body: rpcBody("m", ["ü", 2]) });
  expect(node.asked).toEqual([
    {
      method: "GET",
      path: "/",
      headers: { ...type, host: `127.0.0.1:${node.port}`, "content-length": "55", connection: "close" },
      body: '{"jsonrpc":"2.0","id":1,"method":"m","params":["ü",2]}',
    },
  ]);
});

test("a reference is asked by POST; its name hides path, query and user", async () => {
  const momentum = { height: 7, timestamp: 1_700_000_000, hash: "ab", producer: "z1q" };
  const node = await use(fakeNode({ "ledger.getFrontierMomentum": momentum }));
  expect(await openReferenceChain(`http://127.0.0.1:${node.port}`).newest()).toMatchObject({ momentum: { height: 7 } });
  expect(node.asked[0]).toMatchObject({ method: "POST", headers: type });
  await expect(openReferenceChain(`http://127.0.0.1:${await closedPort()}`).newest()).rejects.toThrow("ECONNREFUSED");
  for (const [url, shown] of [
    ["https://node.example:35997", "https://node.example:35997"],
    ["https://node.example/v1/s3cret", "https://node.example/…"],
    ["https://node.example?key=s3cret", "https://node.example/…"],
    ["https://me:s3cret@node.example/", "https://node.example"],
  ] as const)
    expect(openReferenceChain(url).name).toBe(`reference ${shown}`);
});

test.each([
  ["Thu, 01 Jan 2026 00:00:07 GMT", Date.UTC(2026, 0, 1, 0, 0, 7)],
  ["yesterday", undefined],
  [undefined, undefined],
])("the answer is status, body and the server's own time: %s", async (header, date) => {
  const { port } = await serve((_request, response) => {
    response.sendDate = false;
    if (header) response.setHeader("date", header);
    response.writeHead(403).end("no ü");
  });
  expect(await call(port)).toEqual({ status: 403, date, body: "no ü" });
});

test("the answer is read whole just below the limit, and refused at once above it", async () => {
  const { port } = await serve((request, response) => {
    request.on("data", (body) => response.end("x".repeat(5 * 1024 * 1024 + (String(body).includes("big") ? 1 : 0))));
  });
  expect((await call(port, { body: "small" })).body).toHaveLength(5 * 1024 * 1024);
  await expect(call(port, { body: "big" })).rejects.toThrow(new Error("the answer is larger than 5 MiB"));
});

const frozen = /^no answer within \d+ s: the node is overloaded or frozen$/;

test("no answer comes from a frozen server within the timeout, and the connection is closed", async () => {
  let closed: Promise<void> | undefined;
  const freeze = net.createServer((socket) => {
    closed = new Promise((resolve) => socket.on("close", () => resolve()));
    socket.resume();
  });
  const { port } = await use(listen(freeze));
  const started = Date.now();
  await expect(call(port, { timeout: 120 })).rejects.toThrow(frozen);
  expect(Date.now() - started).toBeLessThan(5000);
  await closed;
});

test.each([
  ["stops", (_response: http.ServerResponse) => undefined, frozen],
  ["hangs up", (response: http.ServerResponse) => void response.destroy(), "the RPC's answer was cut off"],
])("no answer comes from a server that %s in the middle of a body", async (_what, end, words) => {
  const { port } = await serve((_request, response) => {
    response.writeHead(200, { "content-length": 100 });
    response.write("half", () => end(response));
  });
  await expect(call(port, { timeout: 500 })).rejects.toThrow(words);
});

test("no answer comes if no stream opens in time; a late stream is closed", async () => {
  const late = new net.Socket();
  let arrive: (stream: net.Socket) => void = () => undefined;
  const opening = new Promise<net.Socket>((resolve) => {
    arrive = resolve;
  });
  const calling = callHttp(() => opening, silent);
  await expect(calling).rejects.toMatchObject({ message: expect.stringMatching(frozen), problem: { kind: "late" } });
  arrive(late);
  await new Promise((resolve) => setImmediate(resolve));
  expect(late.destroyed).toBe(true);
  const failing = callHttp(() => Promise.reject(new Error("no tunnel")), silent);
  await expect(failing).rejects.toThrow(new Error("no tunnel"));
});
