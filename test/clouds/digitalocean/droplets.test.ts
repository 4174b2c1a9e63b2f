import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { publicKey, TestCloud } from "./fixture";

let cloud: TestCloud;
beforeEach(async () => {
  cloud = await TestCloud.start();
});
afterEach(() => cloud.close());

describe("creating a Droplet", () => {
  test("answers at once with a new one, locked, without addresses, and a link to its action", async () => {
    const { status, body } = await cloud.create({ tags: ["pillar:Anvil"] });
    expect(status).toBe(202);
    expect(body.droplet).toMatchObject({
      name: "pillar-1",
      status: "new",
      locked: true,
      memory: 8192,
      vcpus: 4,
      disk: 160,
      size_slug: "s-4vcpu-8gb",
      networks: { v4: [], v6: [] },
      tags: ["pillar:Anvil"],
      features: ["private_networking", "droplet_agent"],
      region: { slug: "fra1" },
      image: { slug: "ubuntu-22-04-x64" },
      volume_ids: [],
    });
    const [link] = body.links.actions;
    expect(link).toEqual({ id: expect.any(Number), rel: "create", href: `${cloud.url}/v2/actions/${link.id}` });
    expect((await cloud.get(`/v2/actions/${link.id}`)).action).toMatchObject({
      status: "in-progress",
      type: "create",
      resource_id: body.droplet.id,
      completed_at: null,
      region_slug: "fra1",
    });
  });

  test("orders a machine with its user data, keys and image", async () => {
    const key = await cloud.key();
    const { droplet } = (await cloud.create({ user_data: "#cloud-config\n", ssh_keys: [key.fingerprint] })).body;
    const machine = `do${droplet.id}`;
    expect(cloud.room.find(machine).order).toEqual({
      id: machine,
      name: "pillar-1",
      image: "ubuntu-22-04-x64",
      userData: "#cloud-config\n",
      sshKeys: [publicKey.trim()],
      firewall: undefined,
    });
  });

  test("becomes active in time, with its addresses, once its machine runs", async () => {
    const { droplet } = (await cloud.create({ ipv6: true })).body;
    const machine = cloud.room.find(`do${droplet.id}`);
    machine.running = false;
    cloud.time.now += 60_000;
    expect((await cloud.get(`/v2/droplets/${droplet.id}`)).droplet.status).toBe("new");
    machine.running = true;
    const later = (await cloud.get(`/v2/droplets/${droplet.id}`)).droplet;
    expect(later).toMatchObject({ status: "active", locked: false });
    expect(later.networks.v4).toEqual([
      { ip_address: "198.51.100.11", netmask: "255.255.255.0", gateway: "198.51.100.1", type: "public" },
      {
        ip_address: expect.stringMatching(/^10\./),
        netmask: "255.255.240.0",
        gateway: expect.anything(),
        type: "private",
      },
    ]);
    expect(later.networks.v6).toHaveLength(1);
    expect((await cloud.get("/v2/actions")).actions[0]).toMatchObject({
      status: "completed",
      completed_at: "2026-11-20T10:01:00Z",
    });
  });

  test.each([
    [{ name: "no name" }, "Only valid hostnames are allowed. (a-z, A-Z, 0-9, . and -)"],
    [{ region: "mars1" }, "You specified an invalid region for Droplet creation."],
    [{ size: "huge" }, "You specified an invalid size for Droplet creation."],
    [{ image: "debian-11-x64" }, "You specified an invalid image for Droplet creation."],
    [{ ssh_keys: [1, "aa:bb"] }, "1, aa:bb are invalid key identifiers for Droplet creation."],
    [{ region: "sfo1" }, "Region is not available"],
    [{ region: "nyc2", size: "s-4vcpu-8gb-amd" }, "Size is not available in this region."],
    [{ tags: ["no tag"] }, "Tag name is invalid: only letters, numbers, colons, dashes and underscores are allowed."],
    [{ user_data: "x".repeat(65_537) }, "User data is too long, the limit is 64 KiB."],
  ])("refuses %o", async (more, message) => {
    const { status, body } = await cloud.create(more);
    expect(status).toBe(422);
    expect(body).toMatchObject({ id: "unprocessable_entity", message });
    expect(cloud.room.machines.size).toBe(0);
  });

  test("refuses more than the account may have", async () => {
    await cloud.ask("PATCH", "/_lab/account", { droplet_limit: 1 });
    await cloud.create();
    expect((await cloud.create({ name: "pillar-2" })).body.message).toBe(
      "creating this/these droplet(s) will exceed your droplet limit",
    );
  });
});

test("Droplets are found by tag and by name, and counted by their tags", async () => {
  const one = await cloud.active({ tags: ["stack:prod"] });
  await cloud.active({ name: "pillar-2" });
  expect((await cloud.get("/v2/droplets?tag_name=STACK:prod")).droplets).toEqual([one]);
  expect((await cloud.get("/v2/droplets?name=pillar-2")).droplets).toHaveLength(1);
  expect((await cloud.get("/v2/tags/stack:prod")).tag.resources).toMatchObject({ count: 1, droplets: { count: 1 } });
});

describe("actions", () => {
  const act = (id: number, type: string, more: object = {}) =>
    cloud.ask("POST", `/v2/droplets/${id}/actions`, { type, ...more });
  const status = async (id: number) => (await cloud.get(`/v2/droplets/${id}`)).droplet.status;

  test("run in the background, and lock the Droplet meanwhile", async () => {
    const { id } = await cloud.active();
    const { action } = (await act(id, "power_off")).body;
    expect(action).toMatchObject({ type: "power_off", status: "in-progress" });
    expect((await act(id, "power_on")).body.message).toContain("powered on");
    expect((await act(id, "reboot")).body.message).toBe("Droplet already has a pending event.");
    expect(await status(id)).toBe("active");
    cloud.time.now += 5_000;
    expect(await status(id)).toBe("off");
    expect((await cloud.get(`/v2/droplets/${id}/actions/${action.id}`)).action.status).toBe("completed");
    expect(cloud.room.asked).toContain(`powerOff do${id} hard`);
    expect((await act(id, "power_off")).body.message).toBe("Droplet is already powered off.");
    await act(id, "power_on");
    cloud.time.now += 5_000;
    expect(await status(id)).toBe("active");
  });

  test("a machine that went down by itself is off", async () => {
    const { id } = await cloud.active();
    cloud.room.find(`do${id}`).running = false;
    expect(await status(id)).toBe("off");
  });

  test("backups are switched on and off, names and sizes changed", async () => {
    const { id } = await cloud.active();
    for (const [type, more] of [
      ["enable_backups", { backup_policy: { plan: "daily", hour: 4 } }],
      ["rename", { name: "other" }],
      ["shutdown", {}],
      ["resize", { size: "s-8vcpu-16gb", disk: true }],
    ] as const) {
      expect((await act(id, type, more)).status).toBe(201);
      cloud.time.now += 5_000;
    }
    const { droplet } = await cloud.get(`/v2/droplets/${id}`);
    expect(droplet).toMatchObject({ name: "other", size_slug: "s-8vcpu-16gb", disk: 320 });
    expect(droplet.features).toContain("backups");
    expect((await act(id, "resize", { size: "s-1vcpu-1gb" })).body.message).toContain("smaller disk");
    expect((await act(id, "snapshot")).status).toBe(422);
  });
});

test("a deleted Droplet is gone a moment later, with its machine and its places", async () => {
  const { id } = await cloud.active();
  const rules = [{ protocol: "tcp", ports: "22", sources: { addresses: ["0.0.0.0/0"] } }];
  await cloud.ask("POST", "/v2/firewalls", { name: "fw", inbound_rules: rules, droplet_ids: [id] });
  expect((await cloud.ask("DELETE", `/v2/droplets/${id}`)).status).toBe(204);
  expect((await cloud.get(`/v2/droplets/${id}`)).droplet.locked).toBe(true);
  expect(cloud.room.machines.size).toBe(0);
  cloud.time.now += 5_000;
  expect((await cloud.ask("GET", `/v2/droplets/${id}`)).status).toBe(404);
  expect((await cloud.ask("DELETE", `/v2/droplets/${id}`)).status).toBe(404);
  expect((await cloud.get("/v2/firewalls")).firewalls[0].droplet_ids).toEqual([]);
});
