import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Json, type ServedCloud, serveCloud } from "../lab/clouds/servedCloud.ts";
import { differences } from "../shape.ts";

// Written after the clouds' public descriptions, which the file names.
const { digitalocean, hetzner } = JSON.parse(
  readFileSync(join(import.meta.dirname, "../fixtures/clouds.json"), "utf8"),
);
const publicKey = `ssh-ed25519 ${Buffer.from("a key").toString("base64")} anvil`;

let cloud: ServedCloud;
afterEach(() => cloud.close());
const list = async (path: string) => ({ ...(await cloud.ask("GET", path)) });
/** Asks for what the double refuses. */
const refused = async (path: string, init: RequestInit = {}) => {
  const base = cloud.endpoint.endsWith("/v1") ? cloud.endpoint : `${cloud.endpoint}/v2`;
  const headers = { authorization: `Bearer ${cloud.token}`, "content-type": "application/json" };
  const response = await fetch(base + path, { headers, ...init });
  return { status: response.status, body: (await response.json()) as Json };
};

describe("DigitalOcean's double answers as the API's description", () => {
  const order = { name: "anvil", region: "fra1", size: "s-4vcpu-8gb", image: "ubuntu-22-04-x64", tags: ["pillar"] };
  beforeEach(async () => {
    cloud = await serveCloud("digitalocean");
  });

  it("to an order, with Droplet, tag, actions and lists", async () => {
    const { droplet } = await cloud.ask("POST", "/droplets", { ...order, backups: true });
    const read = await cloud.ask("GET", `/droplets/${droplet.id}`);
    const { actions } = await cloud.ask("GET", `/droplets/${droplet.id}/actions`);
    const { tag } = await cloud.ask("GET", "/tags/pillar");
    const off = { type: "power_off" };
    await expect.poll(async () => (await cloud.ask("GET", `/droplets/${droplet.id}`)).droplet.locked).toBe(false);
    const { action } = await cloud.ask("POST", `/droplets/${droplet.id}/actions`, off);
    // The list's own keys are the resource's name beside these.
    const { droplets, ...rest } = await list("/droplets");
    expect({
      ordered: differences(digitalocean.droplet, droplet),
      read: differences(digitalocean.droplet, read.droplet),
      listed: differences([digitalocean.droplet], droplets),
      rest: differences(digitalocean.list, rest),
      tag: differences(digitalocean.tag, tag),
      actions: differences([digitalocean.action], actions),
      action: differences(digitalocean.action, action),
    }).toEqual({
      ordered: ["image.error_message: missing"],
      read: ["image.error_message: missing"],
      listed: ["[].image.error_message: missing"],
      rest: [],
      tag: [
        "resources.last_tagged_uri: missing",
        "resources.droplets.last_tagged_uri: missing",
        "resources.images.last_tagged_uri: missing",
        "resources.volumes.last_tagged_uri: missing",
        "resources.volume_snapshots.last_tagged_uri: missing",
        "resources.databases.last_tagged_uri: missing",
      ],
      actions: [],
      action: [],
    });
    expect([read.droplet.features, read.droplet.size.slug, actions.length]).toEqual([["backups"], order.size, 1]);
  });

  it("about firewalls, keys, regions, sizes and images", async () => {
    const rule = { protocol: "tcp", ports: "22", sources: { addresses: ["192.0.2.1"] } };
    const out = { protocol: "tcp", ports: "0", destinations: { addresses: ["0.0.0.0/0"] } };
    const body = { name: "anvil", inbound_rules: [rule], outbound_rules: [out], tags: ["pillar"] };
    const { firewall } = await cloud.ask("POST", "/firewalls", body);
    const { ssh_key } = await cloud.ask("POST", "/account/keys", { name: "anvil", public_key: publicKey });
    expect([
      ...differences(digitalocean.firewall, firewall),
      ...differences(digitalocean.key, ssh_key),
      ...differences([digitalocean.region], (await list("/regions")).regions),
      ...differences([digitalocean.size], (await list("/sizes")).sizes),
      ...differences([digitalocean.image], (await list("/images")).images),
    ]).toEqual(["[].error_message: missing"]);
    expect(ssh_key.fingerprint).toMatch(/^([0-9a-f]{2}:){15}[0-9a-f]{2}$/);
  });

  it("with its errors", async () => {
    const { status, body } = await refused("/droplets/1");
    expect([status, body.id, differences(digitalocean.errors[404], body)]).toEqual([404, "not_found", []]);
    const stranger = await refused("/droplets", { headers: { authorization: "Bearer other" } });
    expect([stranger.status, differences(digitalocean.errors[401], stranger.body)]).toEqual([401, []]);
    const wrong = await refused("/droplets", { method: "POST", body: JSON.stringify({ ...order, size: "huge" }) });
    expect([wrong.status, wrong.body.id]).toEqual([422, digitalocean.errors[422].id]);
    cloud.account.faults.add({ kind: "quota", times: 1 });
    const full = await refused("/droplets", { method: "POST", body: JSON.stringify(order) });
    expect([full.status, full.body]).toEqual([422, digitalocean.errors[422]]);
  });
});

describe("Hetzner's double answers as the API's types", () => {
  const order = { name: "anvil", location: "fsn1", server_type: "cpx32", image: "ubuntu-22.04" };
  beforeEach(async () => {
    cloud = await serveCloud("hetzner");
  });

  it("to an order, with server, firewall, actions and lists", async () => {
    const rule = { direction: "in", protocol: "tcp", port: "22", source_ips: ["0.0.0.0/0"] };
    const { firewall } = await cloud.ask("POST", "/firewalls", { name: "anvil", rules: [rule] });
    const ordered = await cloud.ask("POST", "/servers", { ...order, firewalls: [{ firewall: firewall.id }] });
    const at = `/servers/${ordered.server.id}`;
    await expect.poll(async () => (await cloud.ask("GET", at)).server.locked).toBe(false);
    const backup = await cloud.ask("POST", `${at}/actions/enable_backup`, {});
    await expect.poll(async () => (await cloud.ask("GET", at)).server.backup_window).toBe("22-02");
    const { server } = await cloud.ask("GET", at);
    const { servers, ...rest } = await list("/servers");
    const { actions } = await list(`${at}/actions`);
    expect([
      ...differences(hetzner.server, ordered.server),
      ...differences(hetzner.server, server),
      ...differences([hetzner.server], servers),
      ...differences(hetzner.list, rest),
      ...differences(hetzner.firewall, firewall),
      ...differences(hetzner.action, backup.action),
      ...differences([hetzner.action], actions),
    ]).toEqual([]);
    expect(server.public_net.ipv4).not.toBeNull();
  });

  it("about keys, offers and prices", async () => {
    const { ssh_key } = await cloud.ask("POST", "/ssh_keys", { name: "anvil", public_key: publicKey });
    const { pricing } = await cloud.ask("GET", "/pricing");
    expect([
      ...differences(hetzner.key, ssh_key),
      ...differences([hetzner.serverType], (await list("/server_types")).server_types),
      ...differences([hetzner.image], (await list("/images")).images),
      ...differences(hetzner.pricing, pricing),
    ]).toEqual(
      ["image", "floating_ips", "server_types", "load_balancer_types", "volume"].map((key) => `${key}: missing`),
    );
  });

  it("with its errors", async () => {
    const { status, body } = await refused("/servers/1");
    expect([status, body.error.code, differences(hetzner.errors[404], body)]).toEqual([404, "not_found", []]);
    const stranger = await refused("/servers", { headers: { authorization: "Bearer other" } });
    expect([stranger.status, differences(hetzner.errors[401], stranger.body)]).toEqual([401, []]);
    cloud.account.faults.add({ kind: "quota", times: 1 });
    const full = await refused("/servers", { method: "POST", body: JSON.stringify(order) });
    expect([full.status, full.body]).toEqual([403, hetzner.errors[403]]);
    const { server } = await cloud.ask("POST", "/servers", order);
    const at = `/servers/${server.id}`;
    await expect.poll(async () => (await cloud.ask("GET", at)).server.locked).toBe(false);
    await cloud.ask("POST", `${at}/actions/change_protection`, { delete: true, rebuild: true });
    await expect.poll(async () => (await cloud.ask("GET", at)).server.protection.delete).toBe(true);
    const kept = await refused(at, { method: "DELETE" });
    expect([kept.status, kept.body]).toEqual([423, hetzner.errors[423]]);
  });
});
