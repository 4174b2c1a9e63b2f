import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TestCloud } from "./fixture";

let cloud: TestCloud;
beforeEach(async () => {
  cloud = await TestCloud.start();
});
afterEach(() => cloud.close());

const anywhere = ["0.0.0.0/0", "::/0"];
const ssh = { protocol: "tcp", ports: "22", sources: { addresses: ["203.0.113.7"] } };
const out = { protocol: "tcp", ports: "all", destinations: { addresses: anywhere } };

const create = (more: object = {}) =>
  cloud.ask("POST", "/v2/firewalls", { name: "pillar", inbound_rules: [ssh], outbound_rules: [out], ...more });
const rulesOf = (id: number) => cloud.room.find(`do${id}`).rules;

describe("a firewall", () => {
  test("is told in full; all ports are 0, and what is on its way is pending", async () => {
    const { id } = await cloud.active();
    const { status, body } = await create({ droplet_ids: [id] });
    expect(status).toBe(202);
    const { firewall } = body;
    expect(firewall).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4/),
      name: "pillar",
      status: "waiting",
      inbound_rules: [{ ...ssh, action: "allow" }],
      outbound_rules: [{ ...out, ports: "0", action: "allow" }],
      created_at: "2026-11-20T10:01:00Z",
      droplet_ids: [id],
      tags: [],
      pending_changes: [{ droplet_id: id, removing: false, status: "waiting" }],
    });
    expect((await cloud.get(`/v2/firewalls/${firewall.id}`)).firewall).toMatchObject({
      status: "succeeded",
      pending_changes: [],
    });
  });

  test("reaches the machines of its Droplets, and leaves them again", async () => {
    const { id } = await cloud.active();
    const { firewall } = (await create({ droplet_ids: [id] })).body;
    expect(rulesOf(id)).toEqual([{ protocol: "tcp", ports: "22", sources: ["203.0.113.7/32"] }]);
    const p2p = { protocol: "udp", ports: "35995", sources: { addresses: anywhere } };
    const icmp = { protocol: "icmp", sources: { addresses: ["::1"] } };
    const all = { protocol: "tcp", ports: "all", sources: { addresses: anywhere } };
    const changed = { name: "pillar", inbound_rules: [p2p, icmp, all], droplet_ids: [id] };
    await cloud.ask("PUT", `/v2/firewalls/${firewall.id}`, changed);
    expect(rulesOf(id)).toEqual([
      { protocol: "udp", ports: "35995", sources: anywhere },
      { protocol: "icmp", sources: ["::1/128"] },
      { protocol: "tcp", ports: "1-65535", sources: anywhere },
    ]);
    await cloud.ask("DELETE", `/v2/firewalls/${firewall.id}`);
    expect(rulesOf(id)).toBeUndefined();
  });

  test("meets a Droplet by its tag from the first packet, also when the Droplet comes later", async () => {
    await create({ tags: ["stack:prod"] });
    const { id } = await cloud.active({ tags: ["stack:prod"] });
    expect(cloud.room.find(`do${id}`).order.firewall).toHaveLength(1);
    await cloud.ask("DELETE", "/v2/tags/stack:prod/resources", {
      resources: [{ resource_id: String(id), resource_type: "droplet" }],
    });
    expect(rulesOf(id)).toBeUndefined();
  });

  test("adds up with others; rules, Droplets and tags come and go one by one", async () => {
    const { id } = await cloud.active();
    const { firewall } = (await create()).body;
    const at = `/v2/firewalls/${firewall.id}`;
    await create({ name: "second", droplet_ids: [id] });
    await cloud.ask("POST", `${at}/droplets`, { droplet_ids: [id] });
    expect(rulesOf(id)).toHaveLength(2);
    await cloud.ask("DELETE", `${at}/rules`, { inbound_rules: [ssh] });
    expect(rulesOf(id)).toHaveLength(1);
    await cloud.ask("DELETE", `${at}/droplets`, { droplet_ids: [id] });
    await cloud.ask("POST", `${at}/tags`, { tags: ["a"] });
    expect((await cloud.get(at)).firewall).toMatchObject({ droplet_ids: [], tags: ["a"], inbound_rules: [] });
  });

  test("without a rule for out keeps its Droplets from reaching anybody", async () => {
    const { id } = await cloud.active();
    const reaches = async () => (await cloud.get("/_lab/servers")).servers[0].reachesOut;
    expect(await reaches()).toBe(true);
    const { firewall } = (await create({ outbound_rules: [], droplet_ids: [id] })).body;
    expect(await reaches()).toBe(false);
    await cloud.ask("POST", `/v2/firewalls/${firewall.id}/rules`, { outbound_rules: [out] });
    expect(await reaches()).toBe(true);
  });

  test.each([
    [{ inbound_rules: [], outbound_rules: [] }, 422, "at least one rule is required"],
    [{ name: "a b" }, 422, "invalid name: letters, digits, . and - only"],
    [{ inbound_rules: [{ ...ssh, ports: "22-" }] }, 422, "invalid port range"],
    [{ inbound_rules: [{ ...ssh, ports: "" }] }, 422, "invalid port range"],
    [{ inbound_rules: [{ ...ssh, sources: { addresses: ["all"] } }] }, 422, "invalid address"],
    [{ inbound_rules: [{ ...ssh, sources: { addresses: [] } }] }, 422, "missing addresses"],
    [{ inbound_rules: [{ ...ssh, action: "deny" }] }, 422, "the lab serves no deny rules"],
    [{ droplet_ids: [7] }, 422, "droplet not found: 7"],
  ])("is refused: %o", async (more, status, message) => {
    expect(await create(more)).toMatchObject({ status, body: { message } });
  });

  test("is refused when its name is taken", async () => {
    await create();
    expect(await create()).toMatchObject({ status: 409, body: { id: "conflict", message: "duplicate name" } });
  });
});
