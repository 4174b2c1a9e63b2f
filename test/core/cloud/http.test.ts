import { expect, test } from "vitest";
import { createDigitalocean } from "../../../core/cloud/digitalocean.ts";
import { createHetzner } from "../../../core/cloud/hetzner.ts";
import { createHttp } from "../../../core/cloud/http.ts";
import { evilText, harmless } from "../../evilText.ts";
import { fakeApi, refusal, token } from "./fakeApi.ts";

const api = fakeApi();
const http = () => createHttp({ ...api, provider: "Cloud" });

test("repeats a request to a failing or busy API, four attempts in all, unless it writes", async () => {
  api.answers = { "GET /x": [[503], [429], [200, { it: { ok: true } }]] };
  expect(await http().get("/x", "it")).toEqual({ ok: true });
  api.answers = { "GET /y": [[503, { error: { code: "service_error", message: "out of order" } }]] };
  api.slept = [];
  expect(await refusal(http().get("/y", "it"))).toBe(
    "Cloud answered 503 (service_error: out of order) to GET /y\n  Run the same command again when Cloud's API works.",
  );
  expect(api.slept).toEqual([2000, 4000, 8000]);
  api.answers = { "DELETE /x": [[503]] };
  await refusal(http().remove("/x"));
  expect(api.asked.filter((line) => line.startsWith("DELETE"))).toHaveLength(1);
});

test.each([
  [401, {}, "pillar-host:host.token: Cloud answered 401 (no reason given)\n  needed: set an API token that is valid"],
  [
    403,
    { error: { code: "forbidden" } },
    "host.token: Cloud answered 403 (forbidden)\n  needed: set an API token with read",
  ],
  [403, { id: "Forbidden" }, "host.token: Cloud answered 403 (Forbidden)\n  needed: set an API token with read and"],
  [403, { error: { code: "token_readonly" } }, "host.token: Cloud answered 403 (token_readonly)\n  needed: set"],
  [
    403,
    { error: { code: "resource_limit_exceeded", message: "limit" } },
    "Cloud answered 403 (resource_limit_exceeded: limit) to",
  ],
  [403, "<html>", "Cloud answered 403 (no reason given) to GET /x"],
  [401, { error: { message: `no such token: ${token}` } }, "Cloud answered 401 (no such token: [token])"],
  [409, {}, "Cloud answered 409 (no reason given) to GET /x"],
  [409, { error: { code: evilText, message: evilText } }, `Cloud answered 409 (${harmless}: ${harmless}) to GET /x`],
  [200, "<html>", "is not Cloud's API: no JSON came to GET /x"],
])("explains an answer %d %j to the operator, without terminal commands and token", async (status, body, words) => {
  api.answers = { "GET /x": [[status, body]] };
  expect(await refusal(http().get("/x?page=1", "x"))).toContain(words);
});

test("waits until a removed thing is gone, and accepts one that is gone already", async () => {
  api.answers = { "DELETE /x": [[200]], "GET /x": [[200], [404]] };
  await http().removeWhole("/x");
  expect([api.asked, api.slept]).toEqual([["DELETE /x", "GET /x", "GET /x"], [2000]]);
  await http().removeWhole("/y");
});

test("reports an unreachable API with the reason", async () => {
  api.endpoint = "http://127.0.0.1:65009";
  expect(await refusal(http().get("/x", "x"))).toBe(
    "Cloud's API can't be used at http://127.0.0.1:65009: ECONNREFUSED\n  Run the same command again once this gets an answer: curl -sSI http://127.0.0.1:65009",
  );
});

test.each([{}, { error: `rate limit of ${token}` }, { servers: {} }, ["servers"], "null", '"no"'])(
  "takes no answer of another form for an account without servers: %j",
  async (body) => {
    api.answers = { "GET /servers": [[200, body]], "GET /servers/52": [[200, body]], "GET /firewalls": [[200, body]] };
    const what = "what answers is not Hetzner's API: no server";
    expect(await refusal(createHetzner(api).readInventory({ stack: "prod", pillar: { name: "Anvil" } }))).toContain(
      what,
    );
    expect(await refusal(createHetzner(api).readServer("52"))).toContain(`${what} came to GET /servers/52\n  found: `);
  },
);

test("reads a list page by page, and refuses a list without an end", async () => {
  const more = { meta: { pagination: { next_page: 2 } }, links: { pages: { next: "more" } } };
  api.answers = {
    "GET /x": [
      [200, { x: [1], ...more }],
      [200, { x: [2], ...more }],
      [200, { x: null }],
    ],
  };
  expect(await http().list("/x", "x")).toEqual([1, 2]);
  api.answers = { "GET /images": [[200, { images: [], ...more }]], "GET /v2/images": [[200, { images: [], ...more }]] };
  for (const [name, create] of Object.entries({ Hetzner: createHetzner, DigitalOcean: createDigitalocean }))
    expect(await refusal(create(api).readImages())).toBe(`${name}'s API gives more than 100 pages of /images`);
});
