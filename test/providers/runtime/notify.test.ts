import http from "node:http";
import { afterEach, expect, test } from "vitest";
import { noticeRequest, sendNotice } from "../../../providers/runtime/notify";
import { closedPort, listen, type Server } from "../../core/chain/fakes";

const notice = { event: "stalled", title: "Pillar Anvil (prod-2): stalled", message: "the height stands" } as const;
const servers: Server[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

/** A webhook that answers with these statuses in turn, the last for ever after. */
async function webhook(...statuses: number[]) {
  const taken: { headers: http.IncomingHttpHeaders; body: string }[] = [];
  const server = http.createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    taken.push({ headers: request.headers, body });
    response.writeHead(statuses[Math.min(taken.length, statuses.length) - 1] ?? 200).end("ok");
  });
  const listening = await listen(server);
  servers.push(listening);
  return { taken, url: `http://127.0.0.1:${listening.port}/s3cret-topic` };
}

test("a notice is JSON with Slack's text, and names the fields for ntfy's templates", () => {
  const { headers, body } = noticeRequest(notice);
  expect(JSON.parse(body)).toEqual({ ...notice, text: "Pillar Anvil (prod-2): stalled\nthe height stands" });
  expect(headers).toEqual({
    "content-type": "application/json",
    "x-template": "yes",
    "x-title": "{{.title}}",
    "x-message": "{{.message}}",
  });
});

test("is sent once where it is taken", async () => {
  const { taken, url } = await webhook(204);
  expect(await sendNotice(url, notice)).toBeUndefined();
  expect(taken.map(({ headers }) => headers["content-type"])).toEqual(["application/json"]);
});

test("is tried again, three times at most", async () => {
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
])("%s: a reason without the address", async (_what, url, reason) => {
  const found = await sendNotice(await url(), notice, 1);
  expect(found).toMatch(reason);
  expect(found).not.toMatch(/s3cret|127/);
});
