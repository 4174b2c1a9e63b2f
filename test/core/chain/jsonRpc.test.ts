import http from "node:http";
import net from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { callRpc, type RpcCall } from "../../../core/chain/jsonRpc";
import { closedPort, fakeNode, listen, type Server } from "./fakes";

const servers: Server[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

function use<T extends Server>(server: T): T {
  servers.push(server);
  return server;
}

const call = (port: number, changes: Partial<RpcCall> = {}) =>
  callRpc(async () => net.connect(port, "127.0.0.1"), {
    authority: `127.0.0.1:${port}`,
    method: "stats.syncInfo",
    timeout: 2000,
    ...changes,
  });

const serve = async (listener: http.RequestListener) => use(await listen(http.createServer(listener)));

describe("the request", () => {
  test("is a GET of / with a JSON body, its type and length, and an address as Host", async () => {
    const node = use(await fakeNode({ "stats.syncInfo": 7 }));
    await call(node.port);
    expect(node.asked).toEqual([
      {
        method: "GET",
        path: "/",
        headers: {
          host: `127.0.0.1:${node.port}`,
          "content-type": "application/json",
          "content-length": "62",
          connection: "close",
        },
        body: '{"jsonrpc":"2.0","id":1,"method":"stats.syncInfo","params":[]}',
      },
    ]);
  });

  test("carries its params, counted in bytes", async () => {
    const node = use(await fakeNode({ m: 7 }));
    await call(node.port, { method: "m", params: ["ü", 2] });
    expect(node.asked[0]?.body).toBe('{"jsonrpc":"2.0","id":1,"method":"m","params":["ü",2]}');
  });
});

describe("the answer", () => {
  test("is status, body and the server's own time", async () => {
    const { port } = await serve((_request, response) => {
      response.writeHead(403, { date: "Thu, 01 Jan 2026 00:00:07 GMT" }).end("no ü");
    });
    expect(await call(port)).toEqual({ status: 403, date: Date.UTC(2026, 0, 1, 0, 0, 7), body: "no ü" });
  });

  test.each([undefined, "yesterday"])("has no time if the header is %s", async (date) => {
    const { port } = await serve((_request, response) => {
      response.sendDate = false;
      if (date) response.setHeader("date", date);
      response.end("x");
    });
    expect(await call(port)).toEqual({ status: 200, date: undefined, body: "x" });
  });

  test("is read whole just below the limit, and refused at once above it", async () => {
    const { port } = await serve((request, response) => {
      request.on("data", (body) => response.end("x".repeat(5 * 1024 * 1024 + (String(body).includes("big") ? 1 : 0))));
    });
    expect((await call(port, { method: "small" })).body).toHaveLength(5 * 1024 * 1024);
    await expect(call(port, { method: "big" })).rejects.toThrow(new Error("the answer is larger than 5 MiB"));
  });
});

describe("no answer", () => {
  test("comes from a frozen server within the timeout, and the connection is closed", async () => {
    let closed: Promise<void> | undefined;
    const { port } = use(
      await listen(
        net.createServer((socket) => {
          closed = new Promise((resolve) => socket.on("close", () => resolve()));
          socket.resume();
        }),
      ),
    );
    const started = Date.now();
    await expect(call(port, { timeout: 120 })).rejects.toThrow(
      /^no answer within \d+ s: the node is overloaded or frozen$/,
    );
    expect(Date.now() - started).toBeLessThan(5000);
    await closed;
  });

  test("comes from a server that stops in the middle of a body", async () => {
    const { port } = await serve((_request, response) => {
      response.writeHead(200, { "content-length": 100 });
      response.write("half");
    });
    await expect(call(port, { timeout: 120 })).rejects.toThrow(/^no answer within/);
  });

  test("comes from a server that closes the connection in the middle of a body", async () => {
    const { port } = await serve((_request, response) => {
      response.writeHead(200, { "content-length": 100 });
      response.write("half", () => response.destroy());
    });
    await expect(call(port)).rejects.toThrow("the RPC's answer was cut off");
  });

  test("comes from a closed port", async () => {
    await expect(call(await closedPort())).rejects.toThrow("ECONNREFUSED");
  });

  test("comes if no stream opens in time; a late stream is closed", async () => {
    const late = new net.Socket();
    let arrive: (stream: net.Socket) => void = () => undefined;
    const opening = new Promise<net.Socket>((resolve) => {
      arrive = resolve;
    });
    const calling = callRpc(() => opening, { authority: "a", method: "m", timeout: 30 });
    await expect(calling).rejects.toMatchObject({ message: "no connection to the node within 0 s", isLate: true });
    arrive(late);
    await new Promise((resolve) => setImmediate(resolve));
    expect(late.destroyed).toBe(true);
  });

  test("comes if the stream fails to open", async () => {
    const calling = callRpc(() => Promise.reject(new Error("no tunnel")), { authority: "a", method: "m", timeout: 30 });
    await expect(calling).rejects.toThrow(new Error("no tunnel"));
  });
});
