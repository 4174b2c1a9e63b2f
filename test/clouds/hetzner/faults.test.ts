import { describe, expect, test } from "vitest";
import { ask, fault, get, type Json, order, post, READ_ONLY, TOKEN, useHetzner } from "./fixture";

const { cloud, pass } = useHetzner();

const available = async (location: string): Promise<boolean> =>
  (await get("/server_types?name=cpx32")).body.server_types[0].locations.find(({ name }: Json) => name === location)
    .available;

describe("no capacity", () => {
  test("shows in the catalogue, there only, and the order fails", async () => {
    await fault({ kind: "noCapacity", location: "fsn1", shows: "catalogue" });
    expect([await available("fsn1"), await available("nbg1")]).toEqual([false, true]);
    expect((await order()).body.error).toMatchObject({
      code: "resource_unavailable",
      message: "error during placement",
    });
    expect((await order({ location: "nbg1" })).status).toBe(201);
  });

  test("is told only when the order comes, of one type", async () => {
    await fault({ kind: "noCapacity", serverType: "cpx32" });
    expect(await available("fsn1")).toBe(true);
    expect((await order()).status).toBe(412);
    expect((await order({ server_type: "cpx42" })).status).toBe(201);
    expect(cloud().room.orders).toHaveLength(1);
  });

  test("is told by the action, and what is left is a server that is off", async () => {
    await fault({ kind: "noCapacity", shows: "action" });
    const { server, action, next_actions: next } = (await order()).body;
    expect(next).toEqual([]);
    pass(10);
    expect((await get(`/actions/${action.id}`)).body.action).toMatchObject({
      status: "error",
      error: { code: "resource_unavailable", message: "error during placement" },
    });
    expect((await get("/servers")).body.servers.map(({ status }: Json) => status)).toEqual(["off"]);
    expect((await ask("DELETE", `/servers/${server.id}`)).status).toBe(200);
  });
});

describe("an answer", () => {
  test.each([
    [401, "unauthorized"],
    [403, "forbidden"],
    [409, "conflict"],
    [422, "invalid_input"],
    [429, "rate_limit_exceeded"],
    [500, "server_error"],
    [502, "bad_gateway"],
    [504, "timeout"],
  ])("%i has its usual code, and does nothing", async (status, code) => {
    await fault({ kind: "answer", method: "POST", path: "/servers", status, times: 1 });
    const refused = await order();
    expect([refused.status, refused.body.error.code]).toEqual([status, code]);
    expect(cloud().room.orders).toEqual([]);
    expect((await order()).status).toBe(201);
  });

  test("429 says when to come again, after the requests that it lets pass", async () => {
    await fault({ kind: "answer", path: "/servers/*", status: 429, retryAfter: 7, skip: 1, times: 1 });
    const { server } = (await order()).body;
    const path = `/servers/${server.id}`;
    expect((await get(path)).status).toBe(200);
    expect((await get(path)).headers.get("retry-after")).toBe("7");
    expect((await get(path)).status).toBe(200);
  });

  test("lasts as long as asked for", async () => {
    await fault({ kind: "answer", status: 503, forSeconds: 30 });
    expect((await get("/servers")).status).toBe(503);
    pass(30);
    expect((await get("/servers")).status).toBe(200);
  });
});

describe("a cut connection", () => {
  test("after the work leaves a server that nobody was told of", async () => {
    await fault({ kind: "cutAnswer", method: "POST", path: "/servers", times: 1 });
    await expect(order()).rejects.toThrow("fetch failed");
    expect((await get("/servers")).body.servers.map(({ name }: Json) => name)).toEqual(["anvil"]);
  });

  test("before the work leaves nothing", async () => {
    await fault({ kind: "cutAnswer", method: "POST", path: "/servers", done: false, times: 1 });
    await expect(order()).rejects.toThrow("fetch failed");
    expect((await get("/servers")).body.servers).toEqual([]);
  });
});

describe("an action", () => {
  test("is slow", async () => {
    await fault({ kind: "slowAction", command: "create_server", seconds: 100 });
    const { action } = (await order()).body;
    pass(99);
    expect((await get(`/actions/${action.id}`)).body.action).toMatchObject({ status: "running", progress: 99 });
    pass(1);
    expect((await get(`/actions/${action.id}`)).body.action.status).toBe("success");
  });

  test("fails, with those that wait for it, and its work is not done", async () => {
    await fault({ kind: "failAction", command: "create_server", code: "oops", message: "no luck", times: 1 });
    const { next_actions: next } = (await order()).body;
    pass(10);
    expect((await get(`/actions/${next[0].id}`)).body.action).toMatchObject({
      status: "error",
      error: { code: "oops" },
    });
    const { server } = (await order({ name: "hammer" })).body;
    pass(10);
    await get("/servers");
    pass(10);
    await fault({ kind: "failAction", command: "stop_server" });
    await post(`/servers/${server.id}/actions/poweroff`);
    pass(10);
    expect((await get(`/servers/${server.id}`)).body.server.status).toBe("running");
    expect(cloud().room.up.has(`hz${server.id}`)).toBe(true);
  });
});

test("a server that never boots runs for the API only", async () => {
  await fault({ kind: "neverBoots", server: "anvil" });
  const { server } = (await order()).body;
  expect(cloud().room.said).toEqual([`unplug hz${server.id}`]);
  pass(10);
  await get("/servers");
  pass(10);
  expect((await get(`/servers/${server.id}`)).body.server.status).toBe("running");
  await post(`/servers/${server.id}/actions/reset`);
  expect(cloud().room.up.size).toBe(0);
});

test("a quota is one", async () => {
  await fault({ kind: "quota", of: "servers", limit: 1 });
  expect((await order()).status).toBe(201);
  const refused = await order({ name: "hammer" });
  expect([refused.status, refused.body.error.code]).toEqual([403, "resource_limit_exceeded"]);
});

test("faults are listed, cleared one by one and all, and a misspelt one is refused", async () => {
  const { id } = (await fault({ kind: "answer", status: 500 })).body;
  await fault({ kind: "neverBoots" });
  await get("/servers");
  expect((await get("/_lab/faults")).body).toEqual([
    { id, kind: "answer", status: 500, struck: 1 },
    { id: id + 1, kind: "neverBoots", struck: 0 },
  ]);
  await ask("DELETE", `/_lab/faults/${id}`);
  expect((await get("/_lab/faults")).body).toHaveLength(1);
  await ask("DELETE", "/_lab/faults");
  expect((await get("/_lab/faults")).body).toEqual([]);
  expect((await fault({ kind: "answr", status: 500 })).status).toBe(422);
  expect((await fault({ kind: "answer", status: 500, once: true })).status).toBe(422);
});

describe("who may ask", () => {
  test("is told by the token: none, a wrong one, one that may only look", async () => {
    expect((await ask("GET", "/servers", undefined, "")).body.error).toMatchObject({ code: "unauthorized" });
    expect((await ask("GET", "/servers", undefined, "x".repeat(64))).status).toBe(401);
    expect((await ask("GET", "/servers", undefined, READ_ONLY)).status).toBe(200);
    expect((await ask("POST", "/ssh_keys", {}, READ_ONLY)).body.error).toMatchObject({ code: "forbidden" });
  });

  test("is nobody's business: requests are told without token and body", async () => {
    await order({ user_data: "a secret" });
    await get("/servers?name=anvil");
    const { body } = await get("/_lab/requests");
    expect(body.map(({ method, path, status }: Json) => `${method} ${path} ${status}`)).toEqual([
      "POST /v1/servers 201",
      "GET /v1/servers?name=anvil 200",
    ]);
    expect(JSON.stringify(body)).not.toMatch(new RegExp(`${TOKEN}|secret`));
    await ask("DELETE", "/_lab/requests");
    expect((await get("/_lab/requests")).body).toEqual([]);
  });
});

test("3600 requests an hour are free, then one a second", async () => {
  const { headers } = await get("/locations/1");
  expect(headers.get("ratelimit-limit")).toBe("3600");
  expect(headers.get("ratelimit-remaining")).toBe("3599");
  expect(headers.get("x-correlation-id")).toMatch(/^[0-9a-f]{16}$/);
  pass(1);
  expect((await get("/locations/1")).headers.get("ratelimit-remaining")).toBe("3599");
});

test("tests see the servers", async () => {
  await order();
  expect((await get("/_lab/servers")).body).toMatchObject([
    {
      name: "anvil",
      address: "10.9.8.1",
      location: "fsn1",
      serverType: "cpx32",
      image: "debian-11",
      status: "initializing",
    },
  ]);
});

test("what is no route, no JSON or no field is said to be so", async () => {
  expect((await get("/volumes")).body.error.code).toBe("not_found");
  const headers = { authorization: `Bearer ${TOKEN}` };
  const broken = await fetch(`${cloud().url}/v1/servers`, { method: "POST", headers, body: "{" });
  expect([broken.status, ((await broken.json()) as Json).error.code]).toEqual([400, "json_error"]);
  const { error } = (await post("/servers", { name: "x" })).body;
  expect(error.details.fields.map(({ name }: Json) => name)).toEqual(["server_type", "image"]);
});
