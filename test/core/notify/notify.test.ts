import http from "node:http";
import { afterEach, expect, test } from "vitest";
import { createNoticeRequest, sendNotice } from "../../../core/notify/notify.ts";
import { closedPort, listen, type Server } from "../chain/fakes.ts";

const notice = { event: "stalled", title: "Pillar Anvil (prod-2): stalled", message: "the height stands" } as const;
const servers: Server[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

/** Starts a webhook that answers with these statuses in turn, and repeats the last one. */
async function webhook(...statuses: number[]) {
  const taken: { path: string | undefined; headers: http.IncomingHttpHeaders; body: string }[] = [];
  const server = http.createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    taken.push({ path: request.url, headers: request.headers, body });
    response.writeHead(statuses[Math.min(taken.length, statuses.length) - 1] ?? 200).end("ok");
  });
  const listening = await listen(server);
  servers.push(listening);
  return { taken, url: `http://127.0.0.1:${listening.port}/s3cret-topic` };
}

test("sends JSON with all fields, and their names for ntfy's templates", () => {
  const { headers, body } = createNoticeRequest(notice);
  expect(JSON.parse(body)).toEqual({ ...notice, text: "Pillar Anvil (prod-2): stalled\nthe height stands" });
  expect(headers).toEqual({
    "content-type": "application/json",
    "x-template": "yes",
    "x-title": "{{.title}}",
    "x-message": "{{.message}}",
    "x-priority": "high",
  });
  expect(createNoticeRequest({ ...notice, event: "synced" }).headers["x-priority"]).toBe("default");
});

test("makes at most three attempts", async () => {
  const healing = await webhook(503, 200);
  expect(await sendNotice(healing.url, notice, 1)).toBeUndefined();
  expect(healing.taken).toHaveLength(2);
  const broken = await webhook(404);
  expect(await sendNotice(broken.url, notice, 1)).toBe("it answers 404");
  expect(broken.taken).toHaveLength(3);
});

test.each([
  ["nobody there", async () => `http://127.0.0.1:${await closedPort()}/s3cret`, "ECONNREFUSED"],
  ["no such name", async () => "http://s3cret.invalid/", /^(ENOTFOUND|EAI_AGAIN)$/],
  ["not an address", async () => "s3cret", "ERR_INVALID_URL"],
])("returns a reason without the address: %s", async (_what, url, reason) => {
  const found = await sendNotice(await url(), notice, 1);
  expect(found).toMatch(reason);
  expect(found).not.toMatch(/s3cret|127/);
});
