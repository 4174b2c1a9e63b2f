import { describe, expect, test } from "vitest";
import { ask, get, type Json, order, PUBLIC_KEY, post, useHetzner } from "./fixture";

const { cloud, pass } = useHetzner();

async function running(more: object = {}): Promise<Json> {
  const { server } = (await order(more)).body;
  pass(10);
  await get("/servers");
  pass(10);
  return (await get(`/servers/${server.id}`)).body.server;
}

describe("an order", () => {
  test("takes an address at once and gets on by actions", async () => {
    const key = (await post("/ssh_keys", { name: "laptop", public_key: PUBLIC_KEY })).body.ssh_key;
    const ordered = await order({ ssh_keys: [key.id], user_data: "#cloud-config\n", labels: { stack: "prod" } });
    expect(ordered.status).toBe(201);
    const { server, action, next_actions: next, root_password: password } = ordered.body;
    expect(server).toMatchObject({ status: "initializing", locked: true, labels: { stack: "prod" } });
    expect(server.public_net.ipv4.ip).toBe("10.9.8.1");
    expect(password).toBeNull();
    expect([action, ...next].map(({ command, status, progress }) => [command, status, progress])).toEqual([
      ["create_server", "running", 0],
      ["start_server", "running", 0],
    ]);
    expect(cloud().room.orders).toEqual([
      {
        ...{ id: `hz${server.id}`, name: "anvil", image: "debian-11", userData: "#cloud-config\n" },
        ...{ sshKeys: [PUBLIC_KEY], firewall: undefined },
      },
    ]);

    pass(5);
    const batch = `/actions?id=${action.id}&id=${next[0].id}`;
    expect((await get(batch)).body.actions.map(({ progress }: Json) => progress)).toEqual([50, 0]);
    pass(5);
    expect((await get(batch)).body.actions.map(({ status }: Json) => status)).toEqual(["success", "running"]);
    expect((await get(`/servers/${server.id}`)).body.server.status).toBe("starting");
    pass(10);
    expect((await get(batch)).body.actions[1]).toMatchObject({ status: "success", finished: "2026-11-21T12:00:20Z" });
    expect((await get(`/servers/${server.id}`)).body.server).toMatchObject({ status: "running", locked: false });
  });

  test("answers with every field that clients read", async () => {
    const { server } = (await order()).body;
    expect(Object.keys(server).sort()).toEqual(
      (
        "backup_window created id image included_traffic ingoing_traffic iso labels load_balancers location locked name " +
        "outgoing_traffic placement_group primary_disk_size private_net protection public_net rescue_enabled " +
        "server_type status volumes"
      ).split(" "),
    );
    expect(server.public_net).toMatchObject({
      ipv4: { ip: "10.9.8.1", blocked: false, dns_ptr: "static.1.8.9.10.clients.your-server.de" },
      ipv6: { blocked: false, dns_ptr: [] },
      floating_ips: [],
      firewalls: [],
    });
    expect(server.public_net.ipv6.ip).toMatch(/^2001:db8:.*::\/64$/);
  });

  test("without a key gets a password for root, and without a public net no address", async () => {
    const { body } = await order({ public_net: { enable_ipv4: true, enable_ipv6: false } });
    expect(body.root_password).toHaveLength(20);
    expect(body.server.public_net.ipv6).toBeNull();
    expect((await get("/primary_ips")).body.primary_ips.map(({ ip }: Json) => ip)).toEqual(["10.9.8.1"]);
  });

  test.each<{ what: string; more: object; status: number; code: string }>([
    { what: "a name that is no host's", more: { name: "an anvil" }, status: 422, code: "invalid_input" },
    { what: "an unknown type", more: { server_type: "cx99" }, status: 422, code: "invalid_input" },
    { what: "an unknown image", more: { image: "debian-9" }, status: 404, code: "not_found" },
    { what: "an unknown location", more: { location: "muc1" }, status: 422, code: "invalid_input" },
    { what: "a type that is not there", more: { location: "ash" }, status: 422, code: "invalid_input" },
    { what: "an unknown key", more: { ssh_keys: [7] }, status: 422, code: "invalid_input" },
    { what: "labels that are none", more: { labels: { "a b": "c" } }, status: 422, code: "invalid_input" },
    { what: "too much user data", more: { user_data: "x".repeat(32 * 1024 + 1) }, status: 422, code: "invalid_input" },
  ])("with $what is refused, and nothing is ordered", async ({ more, status, code }) => {
    const refused = await order(more);
    expect([refused.status, refused.body.error.code]).toEqual([status, code]);
    expect(cloud().room.orders).toEqual([]);
    expect((await get("/servers")).body.servers).toEqual([]);
  });

  test("with a name that is taken is refused", async () => {
    await order();
    const refused = await order();
    expect([refused.status, refused.body.error]).toMatchObject([
      409,
      { code: "uniqueness_error", message: "server name is already used" },
    ]);
  });
});

describe("a server", () => {
  test("is found by name and by labels", async () => {
    await order({ labels: { stack: "prod", pillar: "Anvil" } });
    await order({ name: "hammer", labels: { stack: "dev" } });
    const names = async (query: string) => (await get(`/servers?${query}`)).body.servers.map(({ name }: Json) => name);
    expect(await names("name=hammer")).toEqual(["hammer"]);
    expect(await names("label_selector=stack%3Dprod")).toEqual(["anvil"]);
    expect(await names("label_selector=stack%20in%20(prod,dev)&sort=name:desc")).toEqual(["hammer", "anvil"]);
    expect(await names("status=running")).toEqual([]);
  });

  test("is locked while an action is at work", async () => {
    const { server } = (await order()).body;
    expect((await post(`/servers/${server.id}/actions/reboot`)).body.error.code).toBe("locked");
    expect((await ask("DELETE", `/servers/${server.id}`)).status).toBe(423);
  });

  test.each([
    ["poweroff", "unplug", "off"],
    ["reboot", "reboot", "running"],
    ["reset", "reset", "running"],
  ])("does what %s says", async (command, said, status) => {
    const { id } = await running();
    expect((await post(`/servers/${id}/actions/${command}`)).body.action.status).toBe("running");
    expect(cloud().room.said).toEqual([`${said} hz${id}`]);
    pass(10);
    expect((await get(`/servers/${id}`)).body.server.status).toBe(status);
  });

  test("that is shut down says so when it is off, and can be switched on", async () => {
    const { id } = await running();
    await post(`/servers/${id}/actions/shutdown`);
    pass(10);
    expect((await get(`/servers/${id}`)).body.server.status).toBe("off");
    await post(`/servers/${id}/actions/poweron`);
    pass(10);
    expect((await get(`/servers/${id}`)).body.server.status).toBe("running");
  });

  test("that switched itself off shows it, and one that is still booting does not", async () => {
    const { id } = await running();
    cloud().room.up.clear();
    expect((await get(`/servers/${id}`)).body.server.status).toBe("off");
    const other = (await order({ name: "hammer" })).body.server;
    cloud().room.up.delete(`hz${other.id}`);
    pass(10);
    await get("/servers");
    pass(10);
    expect((await get(`/servers/${other.id}`)).body.server.status).toBe("running");
  });

  test("changes its name, labels, backups and type", async () => {
    const { id } = await running();
    const renamed = await ask("PUT", `/servers/${id}`, { name: "hammer", labels: { a: "b" } });
    expect(renamed.body.server).toMatchObject({ name: "hammer", labels: { a: "b" } });
    await post(`/servers/${id}/actions/enable_backup`);
    pass(10);
    expect((await get(`/servers/${id}`)).body.server.backup_window).toBe("22-02");
    const change = { server_type: "cpx42", upgrade_disk: false };
    expect((await post(`/servers/${id}/actions/change_type`, change)).body.error.code).toBe("server_not_stopped");
    await post(`/servers/${id}/actions/poweroff`);
    pass(10);
    await post(`/servers/${id}/actions/change_type`, change);
    pass(10);
    const { server } = (await get(`/servers/${id}`)).body;
    expect([server.server_type.name, server.primary_disk_size]).toEqual(["cpx42", 160]);
    // It starts the server again.
    expect([server.status, cloud().room.up.has(`hz${id}`)]).toEqual(["running", true]);
  });

  test("that is protected cannot be deleted until the protection is lifted", async () => {
    const { id } = await running();
    const protect = (both: object) => post(`/servers/${id}/actions/change_protection`, both);
    expect((await protect({ delete: true })).body.error.code).toBe("invalid_input");
    await protect({ delete: true, rebuild: true });
    pass(10);
    const { status, body } = await ask("DELETE", `/servers/${id}`);
    expect([status, body.error.code, body.error.message]).toEqual([423, "protected", "server deletion is protected"]);
    await protect({ delete: false, rebuild: false });
    pass(10);
    expect((await ask("DELETE", `/servers/${id}`)).status).toBe(200);
  });

  test("that is deleted takes its addresses along, its name is free, and its action remains", async () => {
    const { id } = await running();
    const { action } = (await ask("DELETE", `/servers/${id}`)).body;
    expect((await get(`/servers/${id}`)).body.server.status).toBe("deleting");
    pass(10);
    expect((await get(`/servers/${id}`)).body.error.code).toBe("not_found");
    expect((await get("/primary_ips")).body.primary_ips).toEqual([]);
    expect((await get(`/actions/${action.id}`)).body.action).toMatchObject({
      command: "delete_server",
      status: "success",
    });
    expect(cloud().room.said).toEqual([`remove hz${id}`]);
    expect((await order()).status).toBe(201);
  });
});
