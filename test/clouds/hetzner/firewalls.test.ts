import { describe, expect, test } from "vitest";
import { ask, get, type Json, order, post, useHetzner } from "./fixture";

const { cloud, pass } = useHetzner();

const ssh = { direction: "in", protocol: "tcp", port: "22", source_ips: ["198.51.100.7/32"] };
const node = { direction: "in", protocol: "udp", port: "35995", source_ips: ["0.0.0.0/0", "::/0"] };

async function firewall(more: object = {}): Promise<Json> {
  return (await post("/firewalls", { name: "anvil", rules: [ssh, node], ...more })).body.firewall;
}

const rulesOf = (id: number) => cloud().room.rules.get(`hz${id}`);

test("a firewall comes back in full", async () => {
  expect(await firewall({ labels: { stack: "prod" } })).toEqual({
    ...{ id: 52_000_000, name: "anvil", labels: { stack: "prod" }, created: "2026-11-21T12:00:00Z", applied_to: [] },
    rules: [ssh, node].map((rule) => ({ ...rule, destination_ips: [], description: null })),
  });
});

test("a server that is ordered behind one stands behind it from its first packet", async () => {
  const out = { direction: "out", protocol: "tcp", port: "443", destination_ips: ["0.0.0.0/0"] };
  const { id } = await firewall({ rules: [ssh, node, out] });
  const { server } = (await order({ firewalls: [{ firewall: id }] })).body;
  expect(cloud().room.orders[0]?.firewall).toEqual([
    { protocol: "tcp", ports: "22", sources: ["198.51.100.7/32"] },
    { protocol: "udp", ports: "35995", sources: ["0.0.0.0/0", "::/0"] },
  ]);
  expect((await get(`/firewalls/${id}`)).body.firewall.applied_to).toEqual([
    { type: "server", server: { id: server.id } },
  ]);
  expect((await get(`/servers/${server.id}`)).body.server.public_net.firewalls).toEqual([{ id, status: "pending" }]);
  pass(10);
  expect((await get(`/servers/${server.id}`)).body.server.public_net.firewalls).toEqual([{ id, status: "applied" }]);
});

test("new rules reach the servers, and no rule lets nothing in", async () => {
  const { id } = await firewall();
  const { server } = (await order({ firewalls: [{ firewall: id }] })).body;
  const { actions } = (await post(`/firewalls/${id}/actions/set_rules`, { rules: [] })).body;
  expect(actions.map(({ command }: Json) => command)).toEqual(["set_firewall_rules", "apply_firewall"]);
  expect(rulesOf(server.id)).toEqual([]);
});

test("a label selector finds servers, old and new, and loses those whose labels change", async () => {
  const { server } = (await order({ labels: { stack: "prod" } })).body;
  expect(rulesOf(server.id)).toBeUndefined();
  const apply_to = [{ type: "label_selector", label_selector: { selector: "stack=prod" } }];
  const { id } = await firewall({ apply_to });
  expect(rulesOf(server.id)).toHaveLength(2);
  expect((await get(`/firewalls/${id}`)).body.firewall.applied_to).toEqual([
    { ...apply_to[0], applied_to_resources: [{ type: "server", server: { id: server.id } }] },
  ]);
  await order({ name: "hammer", labels: { stack: "prod" } });
  expect(cloud().room.orders[1]?.firewall).toHaveLength(2);
  await ask("PUT", `/servers/${server.id}`, { labels: {} });
  expect(rulesOf(server.id)).toBeUndefined();
});

test("is applied, removed, and deleted only when nothing uses it", async () => {
  const { id } = await firewall();
  const { server } = (await order()).body;
  const target = [{ type: "server", server: { id: server.id } }];
  const apply = () => post(`/firewalls/${id}/actions/apply_to_resources`, { apply_to: target });
  await apply();
  expect(rulesOf(server.id)).toHaveLength(2);
  expect((await apply()).body.error.code).toBe("firewall_already_applied");
  expect((await ask("DELETE", `/firewalls/${id}`)).body.error.code).toBe("resource_in_use");
  await post(`/firewalls/${id}/actions/remove_from_resources`, { remove_from: target });
  expect(rulesOf(server.id)).toBeUndefined();
  expect((await ask("DELETE", `/firewalls/${id}`)).status).toBe(204);
});

test("loses a server that is deleted", async () => {
  const { id } = await firewall();
  const { server } = (await order({ firewalls: [{ firewall: id }] })).body;
  pass(10);
  await get("/servers");
  pass(10);
  await ask("DELETE", `/servers/${server.id}`);
  pass(10);
  expect((await get(`/firewalls/${id}`)).body.firewall.applied_to).toEqual([]);
});

describe("is refused", () => {
  test.each<{ what: string; rule: object }>([
    { what: "an address that is no network", rule: { ...ssh, source_ips: ["198.51.100.7"] } },
    { what: "a network with bits of a host", rule: { ...ssh, source_ips: ["198.51.100.7/24"] } },
    { what: "nobody to let in", rule: { ...ssh, source_ips: [] } },
    { what: "tcp without a port", rule: { ...ssh, port: undefined } },
    { what: "a port that is none", rule: { ...ssh, port: "70000" } },
    { what: "a range the wrong way round", rule: { ...ssh, port: "90-80" } },
    { what: "icmp with a port", rule: { ...ssh, protocol: "icmp" } },
  ])("with $what", async ({ rule }) => {
    expect((await post("/firewalls", { name: "f", rules: [rule] })).body.error.code).toBe("invalid_input");
  });

  test("with a taken name, or on a server that is not there", async () => {
    const { id } = await firewall();
    expect((await post("/firewalls", { name: "anvil" })).body.error.code).toBe("uniqueness_error");
    const apply_to = [{ type: "server", server: { id: 7 } }];
    const missing = await post(`/firewalls/${id}/actions/apply_to_resources`, { apply_to });
    expect(missing.body.error.code).toBe("firewall_resource_not_found");
  });
});
