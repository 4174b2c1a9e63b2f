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
  const text = "Pillar Anvil (prod-2): stalled\nthe height stands";
  expect(JSON.parse(body)).toEqual({ ...notice, text, content: text });
  expect(headers).toEqual({
    "content-type": "application/json",
    "x-template": "yes",
    "x-title": "{{.title}}",
    "x-message": "{{.message}}",
    "x-priority": "high",
  });
  expect(createNoticeRequest({ ...notice, event: "synced" }).headers["x-priority"]).toBe("default");
});

type Body = Readonly<Record<string, unknown>>;
const isText = (value: unknown, most: number) => typeof value === "string" && value !== "" && value.length <= most;
const filled = (template: unknown, body: Body) =>
  String(template).replace(/{{\.(\w+)}}/g, (_, key) => String(body[key]));

/** The rules of each service, as its documents state them; a service ignores fields that it does not know. */
test.each<[string, (body: Body, headers: Readonly<Record<string, string>>) => boolean]>([
  // discord.com/developers/docs/resources/webhook: content, up to 2000 characters.
  ["Discord", ({ content }) => isText(content, 2000)],
  // docs.slack.com, incoming webhooks and message limits: text, up to 40,000 characters.
  ["Slack", ({ text }) => isText(text, 40_000)],
  // core.telegram.org/bots/api#sendmessage: text, 1 to 4096 characters; chat_id may be in the address.
  ["Telegram", ({ text }) => isText(text, 4096)],
  // docs.ntfy.sh/publish: message templates over a JSON body.
  ["ntfy", (body, { "x-template": yes, "x-message": message }) => yes === "yes" && isText(filled(message, body), 4096)],
])("takes a notification as it is sent, the longest too: %s", (_service, accepts) => {
  for (const message of ["the height stands", "x".repeat(10_000)]) {
    const { headers, body } = createNoticeRequest({ ...notice, message });
    expect(accepts(JSON.parse(body), headers)).toBe(true);
  }
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

test("calls the heartbeat's address as it is, again after a refusal", async () => {
  const { taken, url } = await webhook(503, 200);
  expect(await sendNotice(`${url}?rid=1`, undefined, 1)).toBeUndefined();
  expect(taken.map(({ path, body }) => [path, body])).toEqual(Array(2).fill(["/s3cret-topic?rid=1", ""]));
  const refusing = await webhook(404);
  expect(await sendNotice(refusing.url, undefined, 1)).toBe("it answers 404");
  const gone = await sendNotice(`http://127.0.0.1:${await closedPort()}/s3cret`, undefined, 1);
  expect(gone).toBe("ECONNREFUSED");
});
