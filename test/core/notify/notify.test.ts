import http from "node:http";
import { afterEach, expect, test } from "vitest";
import { createNoticeRequest, findWebhookFault, sendNotice } from "../../../core/notify/notify";
import { closedPort, listen, type Server } from "../chain/fakes";

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

const text = "Pillar Anvil (prod-2): stalled\nthe height stands";

test.each(["https://ntfy.sh/topic", "https://push.example.org/topic", "s3cret"])(
  "sends %s JSON with all fields, and their names for ntfy's templates",
  (address) => {
    const { headers, body } = createNoticeRequest(address, notice);
    expect(JSON.parse(body)).toEqual({ ...notice, text });
    expect(headers).toEqual({
      "content-type": "application/json",
      "x-template": "yes",
      "x-title": "{{.title}}",
      "x-message": "{{.message}}",
      "x-priority": "high",
    });
    const { headers: calm } = createNoticeRequest(address, { ...notice, event: "synced" });
    expect(calm["x-priority"]).toBe("default");
  },
);

test("sends Slack only a text", () => {
  const { headers, body } = createNoticeRequest("https://hooks.slack.com/services/T0/B0/s3cret", notice);
  expect([headers, JSON.parse(body)]).toEqual([{ "content-type": "application/json" }, { text }]);
});

test("sends Telegram text and chat, and refuses an address without a chat", async () => {
  const bot = "https://api.telegram.org/bot12:s3cret/sendMessage";
  const { headers, body } = createNoticeRequest(`${bot}?chat_id=-100`, notice);
  expect([headers, JSON.parse(body)]).toEqual([{ "content-type": "application/json" }, { chat_id: "-100", text }]);
  expect(findWebhookFault(`${bot}?chat_id=-100`)).toBeUndefined();
  for (const short of [bot, "https://api.telegram.org/bot12:s3cret?chat_id=1"])
    expect(await sendNotice(short, notice)).toBe(
      "a Telegram webhook has the form https://api.telegram.org/botTOKEN/sendMessage?chat_id=CHAT",
    );
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
