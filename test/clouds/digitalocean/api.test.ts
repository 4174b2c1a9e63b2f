import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { publicKey, READ_TOKEN, TestCloud, TOKEN } from "./fixture";

let cloud: TestCloud;
beforeEach(async () => {
  cloud = await TestCloud.start();
});
afterEach(() => cloud.close());

describe("tokens", () => {
  test("a wrong token, or none, is refused in the API's form", async () => {
    const { status, body, headers } = await cloud.ask("GET", "/v2/account", undefined, "dop_v1_wrong");
    expect(status).toBe(401);
    expect(body).toEqual({
      id: "Unauthorized",
      message: "Unable to authenticate you",
      request_id: headers.get("x-request-id"),
    });
  });

  test("a read-only token reads and changes nothing", async () => {
    expect((await cloud.ask("GET", "/v2/account", undefined, READ_TOKEN)).status).toBe(200);
    const refused = await cloud.ask("POST", "/v2/tags", { name: "a" }, READ_TOKEN);
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({
      id: "Forbidden",
      message: "You are not authorized to perform this operation",
    });
    expect((await cloud.get("/v2/tags")).tags).toEqual([]);
  });

  test("none is ever noted", async () => {
    await cloud.ask("GET", "/v2/account?page=1");
    const { requests } = await cloud.get("/_lab/requests");
    expect(requests).toEqual([{ at: "2026-11-20T10:00:00Z", method: "GET", path: "/v2/account?page=1", status: 200 }]);
    expect(JSON.stringify(cloud.double.cloud.requests)).not.toContain(TOKEN);
  });
});

describe("every answer", () => {
  test("tells the rate limit", async () => {
    await cloud.ask("GET", "/v2/account");
    const { headers } = await cloud.ask("GET", "/v2/account");
    expect(headers.get("ratelimit-limit")).toBe("5000");
    expect(headers.get("ratelimit-remaining")).toBe("4998");
    expect(Number(headers.get("ratelimit-reset"))).toBeGreaterThan(cloud.time.now / 1000);
  });

  test("is 404 for what is not served, and 400 for what is no JSON", async () => {
    expect((await cloud.ask("GET", "/v2/volumes")).body).toMatchObject({ id: "not_found" });
    const response = await fetch(`${cloud.url}/v2/tags`, {
      method: "POST",
      headers: { authorization: `Bearer ${TOKEN}` },
      body: "{",
    });
    expect(response.status).toBe(400);
  });
});

test("lists come in pages, with links to the others", async () => {
  const second = await cloud.get("/v2/sizes?per_page=5&page=2");
  const link = (page: number) => `${cloud.url}/v2/sizes?per_page=5&page=${page}`;
  expect(second.sizes).toHaveLength(5);
  expect(second.meta).toEqual({ total: 21 });
  expect(second.links).toEqual({ pages: { first: link(1), prev: link(1), next: link(3), last: link(5) } });
  expect((await cloud.get("/v2/sizes?per_page=200")).links).toEqual({});
  expect((await cloud.get("/v2/sizes")).sizes).toHaveLength(20);
});

describe("offers", () => {
  test("a plan is told in full, with its price", async () => {
    const { sizes } = await cloud.get("/v2/sizes?per_page=200");
    const plan = sizes.find(({ slug }: { slug: string }) => slug === "s-4vcpu-8gb");
    expect(plan).toEqual({
      slug: "s-4vcpu-8gb",
      memory: 8192,
      vcpus: 4,
      disk: 160,
      transfer: 5,
      price_monthly: 48,
      price_hourly: 0.07143,
      regions: expect.arrayContaining(["fra1", "nyc3"]),
      available: true,
      description: "Basic",
      disk_info: [{ type: "local", size: { amount: 160, unit: "gib" } }],
    });
    expect(plan.regions).not.toContain("sfo1");
  });

  test("a region without a plan to be had is unavailable", async () => {
    const { regions } = await cloud.get("/v2/regions?per_page=200");
    const of = (wanted: string) => regions.find(({ slug }: { slug: string }) => slug === wanted);
    expect(of("sfo1")).toMatchObject({ available: false, sizes: [] });
    expect(of("fra1")).toMatchObject({ name: "Frankfurt 1", available: true });
  });

  test("an image is found by slug and by number", async () => {
    const { image } = await cloud.get("/v2/images/ubuntu-22-04-x64");
    expect(image).toMatchObject({ distribution: "Ubuntu", name: "22.04 (LTS) x64", status: "available", public: true });
    expect((await cloud.get(`/v2/images/${image.id}`)).image).toEqual(image);
    expect((await cloud.ask("GET", "/v2/images/debian-11-x64")).status).toBe(404);
    expect((await cloud.get("/v2/images?private=true")).images).toEqual([]);
    expect((await cloud.get("/v2/images?type=application")).images).toEqual([]);
  });

  test("prices, plans and images change on command", async () => {
    await cloud.ask("PATCH", "/_lab/sizes/s-4vcpu-8gb", { price_monthly: 60, available: false });
    await cloud.ask("DELETE", "/_lab/images/ubuntu-22-04-x64");
    const { sizes } = await cloud.get("/v2/sizes?per_page=200");
    const plan = sizes.find(({ slug }: { slug: string }) => slug === "s-4vcpu-8gb");
    expect(plan).toMatchObject({ price_monthly: 60, available: false, regions: [] });
    expect((await cloud.create({ image: "ubuntu-22-04-x64" })).body.message).toBe(
      "You specified an invalid image for Droplet creation.",
    );
    expect((await cloud.ask("PATCH", "/_lab/sizes/nonsense", {})).status).toBe(404);
    expect((await cloud.ask("PATCH", "/_lab/sizes/c-2", { price: 1 })).status).toBe(422);
  });
});

describe("ssh keys", () => {
  test("have the fingerprint that ssh-keygen -E md5 shows, and are found by it", async () => {
    const key = await cloud.key();
    expect(key.fingerprint).toMatch(/^([0-9a-f]{2}:){15}[0-9a-f]{2}$/);
    expect((await cloud.get(`/v2/account/keys/${key.fingerprint}`)).ssh_key).toEqual(key);
    const renamed = await cloud.ask("PUT", `/v2/account/keys/${key.id}`, { name: "other" });
    expect(renamed.body.ssh_key).toEqual({ ...key, name: "other" });
    expect((await cloud.ask("DELETE", `/v2/account/keys/${key.id}`)).status).toBe(204);
    expect((await cloud.get("/v2/account/keys")).ssh_keys).toEqual([]);
  });

  test("are refused when they are there already under any name, and when they are none", async () => {
    await cloud.key();
    const again = await cloud.ask("POST", "/v2/account/keys", { name: "x", public_key: `${publicKey} other comment` });
    expect(again.status).toBe(422);
    expect(again.body.message).toBe("SSH Key is already in use on your account");
    const none = await cloud.ask("POST", "/v2/account/keys", { name: "x", public_key: "ssh-ed25519 AAAA" });
    expect(none.body.message).toContain("Key invalid");
  });
});

test("the account and its one project are there", async () => {
  expect((await cloud.get("/v2/account")).account).toMatchObject({ droplet_limit: 10, status: "active" });
  const { project } = await cloud.get("/v2/projects/default");
  expect(project).toMatchObject({ is_default: true });
  await cloud.active();
  expect((await cloud.get(`/v2/projects/${project.id}/resources`)).resources).toHaveLength(1);
});
