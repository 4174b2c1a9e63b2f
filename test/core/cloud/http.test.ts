import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createDigitalocean } from "../../../core/cloud/digitalocean";
import { createHetzner } from "../../../core/cloud/hetzner";
import { type CloudError, createHttp, readRetryDelayMs } from "../../../core/cloud/http";
import { evilText, harmless } from "../../evilText";

const token = "hunter2-token";
let server: Server | undefined;

afterEach(() => server?.close());

/** Returns a client's result from an API with these answers in turn; the last one repeats. */
async function ask(answers: readonly [status: number, body?: unknown, headers?: Record<string, string>][]) {
  const paused: number[] = [];
  const asked: string[] = [];
  const handler: RequestListener = (request, response) => {
    const [status, body, headers] = answers[Math.min(asked.length, answers.length - 1)] ?? [500];
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body ?? {}));
  };
  server = createServer(handler).listen(0, "127.0.0.1");
  await new Promise((resolve) => server?.once("listening", resolve));
  const http = createHttp({
    provider: "Cloud",
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    sleep: async (milliseconds) => paused.push(milliseconds),
  });
  return { http, paused, asked };
}

const failed = (call: Promise<unknown>) =>
  call.then(
    () => expect.unreachable(),
    (error: CloudError) => error,
  );

test("waits as long as a rate limit asks, then repeats the request", async () => {
  const { http, paused, asked } = await ask([
    [429, {}, { "retry-after": "7" }],
    [200, { ok: true }],
  ]);
  expect(await http.get("/x")).toEqual({ ok: true });
  expect([paused, asked]).toEqual([[7000], ["GET /x", "GET /x"]]);
});

test.each([
  [{ "retry-after": "3" }, 3000],
  [{ "ratelimit-reset": "1030" }, 30_000],
  [{ "ratelimit-reset": "1" }, 1000],
  [{}, 5000],
])("waits %d ms at a limit with %j", (headers, milliseconds) => {
  expect(readRetryDelayMs(new Headers(headers as Record<string, string>), 1_000_000)).toBe(milliseconds);
});

test("fails if a rate limit lasts too long", async () => {
  const { http } = await ask([[429, {}, { "retry-after": "3600" }]]);
  const { message, cloudStatus } = await failed(http.get("/x"));
  expect(message).toBe(
    "pillar-host:host.token: Cloud answered 429 (no reason given)\n" +
      "  needed: run the same command again later, or use a token that nothing else uses",
  );
  expect(cloudStatus).toBe(429);
});

test("repeats a request to a failing API, four attempts in all", async () => {
  const healed = await ask([[503], [502], [200, { ok: true }]]);
  expect(await healed.http.get("/x")).toEqual({ ok: true });
  server?.close();
  const broken = await ask([[503, { error: { code: "service_error", message: "out of order" } }]]);
  expect((await failed(broken.http.get("/x"))).message).toBe(
    "Cloud answered 503 (service_error: out of order), several times\n  Run the same command again when Cloud's API works.",
  );
  expect([broken.asked.length, broken.paused]).toEqual([4, [2000, 4000, 8000]]);
});

test("does not repeat a request that writes", async () => {
  const { http, asked } = await ask([[503]]);
  await failed(http.remove("/x"));
  expect(asked).toEqual(["DELETE /x"]);
});

test.each([
  [401, "pillar-host:host.token: Cloud answered 401 (no reason given)\n  needed: set an API token that is valid"],
  [403, "pillar-host:host.token: Cloud answered 403 (no reason given)\n  needed: set an API token with read and write"],
  [409, "Cloud answered 409 (no reason given) to GET /x"],
])("explains status %d to the operator", async (status, words) => {
  const { http } = await ask([[status]]);
  expect((await failed(http.get("/x?page=1"))).message).toContain(words);
});

test("removes terminal commands from an API's words", async () => {
  const { http } = await ask([[409, { error: { code: evilText, message: evilText } }]]);
  expect((await failed(http.get("/x"))).message).toBe(`Cloud answered 409 (${harmless}: ${harmless}) to GET /x`);
});

test("shows the token in no error, whatever the API answers", async () => {
  const { http } = await ask([[401, { error: { message: `no such token: ${token}` } }]]);
  const error = await failed(http.get("/x"));
  expect(error.message).toContain("no such token: [token]");
  expect(JSON.stringify([error, error.stack])).not.toContain(token);
});

test("waits until a removed thing is gone, and removes nothing that is gone already", async () => {
  const { http, paused, asked } = await ask([[200], [200], [200], [404]]);
  await http.removeWhole("/x");
  expect([asked, paused]).toEqual([["GET /x", "DELETE /x", "GET /x", "GET /x"], [2000]]);
  await http.removeWhole("/y");
  expect(asked.slice(4)).toEqual(["GET /y"]);
});

test("reports an answer that is not the API's", async () => {
  const { http } = await ask([[200, "<html>"]]);
  expect((await failed(http.get("/x"))).message).toMatch(/is not Cloud's API: no JSON came from \/x$/);
});

test("reports an unreachable API with the reason", async () => {
  const http = createHttp({
    provider: "Cloud",
    endpoint: "http://127.0.0.1:65009",
    token,
    sleep: async () => undefined,
  });
  expect((await failed(http.get("/x"))).message).toBe(
    "Cloud's API cannot be reached at http://127.0.0.1:65009: ECONNREFUSED\n  Run the same command again when the API can be reached.",
  );
});

test("refuses a list without an end", async () => {
  const more = { meta: { pagination: { next_page: 2 } }, links: { pages: { next: "more" } } };
  const { asked } = await ask([[200, more]]);
  const address = server?.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${address.port}`;
  for (const [name, create] of Object.entries({ Hetzner: createHetzner, DigitalOcean: createDigitalocean })) {
    asked.length = 0;
    const { message } = await failed(create({ token, endpoint }).readImages());
    expect(message).toBe(`${name}'s API gives more than 100 pages of /images`);
    expect(asked).toHaveLength(100);
  }
});
