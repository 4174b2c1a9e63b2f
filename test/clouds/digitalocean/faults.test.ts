import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TestCloud } from "./fixture";

let cloud: TestCloud;
beforeEach(async () => {
  cloud = await TestCloud.start();
});
afterEach(() => cloud.close());

const regionOf = async (wanted: string) =>
  (await cloud.get("/v2/regions?per_page=200")).regions.find(({ slug }: { slug: string }) => slug === wanted);

describe("no capacity", () => {
  test("shown by the lists", async () => {
    await cloud.fault({ kind: "noCapacity", region: "fra1", shows: "catalogue" });
    expect(await regionOf("fra1")).toMatchObject({ available: false, sizes: [] });
    expect((await cloud.create()).body.message).toBe("Region is not available");
    await cloud.ask("DELETE", "/_lab/faults");
    await cloud.fault({ kind: "noCapacity", region: "fra1", size: "s-4vcpu-8gb", shows: "catalogue" });
    const { available, sizes } = await regionOf("fra1");
    expect([available, sizes.includes("s-4vcpu-8gb"), sizes.includes("c-4")]).toEqual([true, false, true]);
  });

  test("met only by the create, once", async () => {
    await cloud.fault({ kind: "noCapacity", region: "fra1", size: "s-4vcpu-8gb", times: 1 });
    expect((await regionOf("fra1")).sizes).toContain("s-4vcpu-8gb");
    expect(await cloud.create()).toMatchObject({
      status: 422,
      body: { id: "unprocessable_entity", message: "Size is not available in this region." },
    });
    expect((await cloud.create()).status).toBe(202);
  });

  test("met by the action: the Droplet stays new, or vanishes, and its machine is gone", async () => {
    await cloud.fault({ kind: "failAction", command: "create", times: 1 });
    const stays = await cloud.active();
    expect(stays).toMatchObject({ status: "new", locked: false });
    expect((await cloud.get(`/v2/droplets/${stays.id}/actions`)).actions[0].status).toBe("errored");
    await cloud.fault({ kind: "failAction", command: "create", vanishes: true });
    expect(await cloud.active({ name: "pillar-2" })).toBeUndefined();
    expect(cloud.room.machines.size).toBe(0);
  });
});

test("no capacity may show as late as in the action", async () => {
  await cloud.fault({ kind: "noCapacity", region: "fra1", shows: "action" });
  expect((await cloud.active()).status).toBe("new");
  expect((await cloud.active({ region: "ams3", name: "pillar-2" })).status).toBe("active");
});

describe("an answer", () => {
  test("is an error on chosen requests, a number of times", async () => {
    await cloud.fault({ kind: "answer", method: "POST", path: "/droplets", status: 429, retryAfter: 2, times: 2 });
    expect((await cloud.ask("GET", "/v2/droplets")).status).toBe(200);
    for (let time = 0; time < 2; time++) {
      const { status, body, headers } = await cloud.create();
      expect([status, body.id, headers.get("retry-after")]).toEqual([429, "too_many_requests", "2"]);
    }
    expect((await cloud.create()).status).toBe(202);
  });

  test.each([401, 403, 409, 422, 500, 503])("%i until the fault is removed", async (status) => {
    const id = await cloud.fault({ kind: "answer", status, message: "as told" });
    expect(await cloud.ask("GET", "/v2/account")).toMatchObject({ status, body: { message: "as told" } });
    await cloud.ask("DELETE", `/_lab/faults/${id}`);
    expect((await cloud.ask("GET", "/v2/account")).status).toBe(200);
  });

  test("is lost after the work", async () => {
    await cloud.fault({ kind: "cutAnswer", method: "POST", path: "/droplets", times: 1 });
    await expect(cloud.create()).rejects.toThrow("fetch failed");
    expect((await cloud.get("/v2/droplets")).droplets).toHaveLength(1);
    expect((await cloud.get("/_lab/requests")).requests[0]).toMatchObject({ path: "/v2/droplets", status: 0 });
  });

  test("is lost before the work", async () => {
    await cloud.fault({ kind: "cutAnswer", method: "POST", path: "/droplets", done: false, times: 1 });
    await expect(cloud.create()).rejects.toThrow("fetch failed");
    expect((await cloud.get("/v2/droplets")).droplets).toEqual([]);
  });

  test("is an error for a while, on paths of a form", async () => {
    await cloud.fault({ kind: "answer", path: "/images/*", status: 503, forSeconds: 30 });
    const status = async (path: string) => (await cloud.ask("GET", path)).status;
    expect(await status("/v2/images/debian-12-x64")).toBe(503);
    expect(await status("/v2/images")).toBe(200);
    cloud.time.now += 30_000;
    expect(await status("/v2/images/debian-12-x64")).toBe(200);
  });

  test("is slow", async () => {
    await cloud.fault({ kind: "slowAnswer", path: "/account", seconds: 0.3, times: 1 });
    const began = performance.now();
    await cloud.get("/v2/account");
    expect(performance.now() - began).toBeGreaterThan(290);
  });
});

describe("a Droplet", () => {
  test("that never boots is active and dead, and no power helps", async () => {
    await cloud.fault({ kind: "neverBoots", server: "pillar-1" });
    const droplet = await cloud.active();
    expect(droplet.status).toBe("active");
    expect(cloud.room.find(`do${droplet.id}`).running).toBe(false);
    await cloud.ask("POST", `/v2/droplets/${droplet.id}/actions`, { type: "power_cycle" });
    cloud.time.now += 5_000;
    const [server] = (await cloud.get("/_lab/servers")).servers;
    expect(server).toMatchObject({ status: "active", running: false, address: "198.51.100.11", region: "fra1" });
  });

  test("shows its address late", async () => {
    await cloud.fault({ kind: "lateAddress", seconds: 120 });
    const droplet = await cloud.active();
    expect([droplet.status, droplet.networks.v4]).toEqual(["active", []]);
    cloud.time.now += 120_000;
    expect((await cloud.get(`/v2/droplets/${droplet.id}`)).droplet.networks.v4).toHaveLength(2);
  });

  test("whose create is stuck stays new until the fault is removed", async () => {
    const id = await cloud.fault({ kind: "slowAction", command: "create" });
    const droplet = await cloud.active();
    expect(droplet).toMatchObject({ status: "new", locked: true });
    await cloud.ask("DELETE", `/_lab/faults/${id}`);
    expect((await cloud.get(`/v2/droplets/${droplet.id}`)).droplet.status).toBe("active");
  });
});

test("a fault that is none is refused, and the standing ones are listed", async () => {
  expect((await cloud.ask("POST", "/_lab/faults", { kind: "nonsense" })).status).toBe(422);
  await cloud.fault({ kind: "answer", status: 500 });
  expect((await cloud.get("/_lab/faults")).faults).toEqual([{ id: 1, fault: { kind: "answer", status: 500 } }]);
});
