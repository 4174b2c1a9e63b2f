import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createHetzner, type Hetzner } from "../../../lab/clouds/hetzner";
import { contract } from "../contracts/contract";
import { type Json, type ServedCloud, serveCloud } from "./servedCloud";
import { isSecret, PluginStack, type Resource, type Resources } from "./stack";

// All tests share one stack; each continues from the previous test.

const [TOKEN, ROTATED, READ_ONLY] = ["w", "v", "r"].map((letter) => letter.repeat(64)) as [string, string, string];
const PUBLIC_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFGSBtGbUCwrGN7Gq8VzKQVWmBcQTTWqvSAZ8qkzNQVS someone";
const USER_DATA = "#cloud-config\n# nobody's business\n";

const key: Resource = { type: "SshKey", args: { name: "anvil", publicKey: PUBLIC_KEY } };
const firewall = (...ports: string[]): Resource => ({
  type: "Firewall",
  args: {
    labels: { stack: "test" },
    rules: ports.map((port) => ({ direction: "in", protocol: "tcp", port, sourceIps: ["0.0.0.0/0", "::/0"] })),
  },
});
const plan = { name: "anvil", serverType: "cpx32", image: "debian-11", location: "nbg1" };
const made = {
  ...plan,
  userData: { secret: USER_DATA },
  sshKeys: ["ref:key.id"],
  firewallIds: [{ number: "ref:firewall.id" }],
  labels: { stack: "test" },
  backups: true,
  deleteProtection: true,
  rebuildProtection: true,
};
const server = (args: object, opts: object = {}): Resource => ({ type: "Server", args, opts });
const all: Resources = { key, firewall: firewall("22", "35995"), server: server(made) };

contract("hcloud plugin", ["pulumi-resource-hcloud"], (kind) => {
  let cloud: ServedCloud<Hetzner>;
  let stack: PluginStack;

  beforeAll(async () => {
    const tokens = { [TOKEN]: "write", [ROTATED]: "write", [READ_ONLY]: "read" } as const;
    cloud = await serveCloud(TOKEN, (room) => createHetzner({ room, tokens, actionSeconds: 0.05 }));
    stack = await PluginStack.create(kind, "hcloud");
    useToken(TOKEN);
  }, 900_000);

  afterAll(() => {
    cloud.close();
    stack.remove();
  });

  const useToken = (token: string) => {
    stack.settings = { token: { secret: token }, endpoint: `${cloud.url}/v1`, pollInterval: "50ms" };
  };

  const api = (method: string, at: string): Promise<Json> => cloud.ask(method, `/v1${at}`);
  const found = async (): Promise<Json> => (await api("GET", "/servers")).servers[0];
  const orders = () => cloud.room.asked.filter((asked) => asked.startsWith("order ")).length;
  const writes = () => cloud.requests.filter(({ method }) => method !== "GET").length;

  test("a server is created with key and firewall, booted and protected, and then unchanged", async () => {
    expect(await stack.up(all)).toContain("+ 5 created");
    expect(await found()).toMatchObject({
      name: "anvil",
      status: "running",
      backup_window: "22-02",
      protection: { delete: true, rebuild: true },
      location: { name: "nbg1" },
      server_type: { name: "cpx32" },
      labels: { stack: "test" },
    });
    const [order] = [...cloud.room.machines.values()].map((machine) => machine.order);
    expect(order).toMatchObject({ userData: USER_DATA, sshKeys: [PUBLIC_KEY] });
    // A set: the original hands it on in another order.
    expect(order?.firewall?.map(({ ports }) => ports).sort()).toEqual(["22", "35995"]);
    const { outputs, inputs } = stack.kept().server ?? {};
    expect(outputs).toMatchObject({ ipv4Address: "192.0.2.1", status: "running" });
    expect([inputs?.userData, outputs?.userData].map(isSecret)).toEqual([true, true]);
    // Logical name and random end, as for every resource without a name.
    expect((await api("GET", "/firewalls")).firewalls[0].name).toMatch(/^firewall-[0-9a-f]{7}$/);
    const before = writes();
    expect(await stack.up()).toContain("5 unchanged");
    expect(writes()).toBe(before);
    useToken(ROTATED);
    expect(await stack.up()).toContain("~ 1 updated");
    useToken(TOKEN);
  });

  test("backups, protection and firewall rules change in place", async () => {
    const other = { backups: false, deleteProtection: false, rebuildProtection: false };
    // The third is the provider, whose token is the old one again.
    const changed = { key, firewall: firewall("22"), server: server({ ...made, ...other }) };
    expect(await stack.up(changed)).toContain("~ 3 updated");
    expect(await found()).toMatchObject({
      status: "running",
      backup_window: null,
      protection: { delete: false, rebuild: false },
    });
    expect([...cloud.room.machines.values()].map(({ rules }) => rules?.map(({ ports }) => ports))).toEqual([["22"]]);
  });

  test("another image, key or user data replaces the server unless they are ignored", async () => {
    const other = { ...made, image: "debian-12", userData: "other", sshKeys: [] };
    expect(await stack.preview({ ...all, server: server(other) })).toMatchObject({ server: "replace" });
    const ignoring = { ignoreChanges: ["image", "userData", "sshKeys"] };
    expect(await stack.up({ ...all, server: server(other, ignoring) })).toContain("~ 2 updated");
    expect(orders()).toBe(1);
    expect(await found()).toMatchObject({ protection: { delete: true }, labels: { stack: "test" } });
  });

  test("a protected server is not destroyed; a vanished one can be neither changed nor destroyed", async () => {
    expect(await stack.destroy()).toContain("server deletion is protected (protected, ");
    const free = { ...made, deleteProtection: false, rebuildProtection: false };
    await stack.up({ ...all, server: server(free) });
    expect(orders()).toBe(1);
    await api("DELETE", `/servers/${(await found()).id}`);
    const changed = { ...all, server: server({ ...free, labels: {} }) };
    expect(await stack.up(changed)).toContain("error: Resource provider reported that the resource did not exist");
    expect(await stack.destroy()).toContain("server not found (not_found, ");
    await stack.refresh();
    expect(await stack.destroy()).toContain("- ");
    expect([cloud.cloud.servers.size, cloud.cloud.firewalls.size, cloud.cloud.sshKeys.size]).toEqual([0, 0, 0]);
  });

  describe("a create that fails", () => {
    const plain = (name: string, more: object = {}) => server({ ...plan, name, location: "fsn1", ...more });

    test("is neither recorded nor tried again without capacity, or after a 502 in JSON", async () => {
      const full = cloud.cloud.faults.add({ kind: "noCapacity", location: "fsn1" });
      expect(await stack.up({ one: plain("one") })).toMatch(
        /error during placement \(resource_unavailable, [0-9a-f]{16}\)/,
      );
      cloud.cloud.faults.clear(full);
      cloud.cloud.faults.add({ kind: "answer", method: "POST", path: "/servers", status: 502, times: 1 });
      expect(await stack.up({ one: plain("one") })).toContain("bad_gateway");
      expect([Object.keys(stack.kept()), cloud.cloud.servers.size]).toEqual([[], 0]);
    });

    test("is recorded if the server exists, and the next up continues without the missing parts", async () => {
      cloud.cloud.faults.add({ kind: "failAction", command: "enable_backup", times: 1 });
      const half = { two: plain("two", { backups: true }) };
      expect(await stack.up(half)).toContain("Action failed (action_failed, ");
      expect(Object.keys(stack.kept())).toEqual(["two"]);
      expect(await stack.up(half)).toContain("~ 1 updated");
      expect([cloud.cloud.servers.size, (await found()).backup_window]).toEqual([1, null]);
    });

    test("leaves a server after a lost answer, which blocks the next one and is adopted by its id", async () => {
      cloud.cloud.faults.add({ kind: "cutAnswer", method: "POST", path: "/servers", times: 1 });
      const [two, three] = [plain("two", { backups: true }), plain("three")];
      expect(await stack.up({ two, three })).toContain("EOF");
      expect(await stack.up({ two, three })).toContain("server name is already used (uniqueness_error");
      const [{ id }] = (await api("GET", "/servers?name=three")).servers;
      expect(await stack.up({ two, three: { ...three, opts: { import: String(id) } } })).toContain("1 imported");
      await api("DELETE", `/servers/${id}`);
      expect(await stack.refresh()).toContain("1 deleted");
      expect(Object.keys(stack.kept())).toEqual(["two"]);
    });
  });

  test("refuses a short or read-only token, and stores neither token nor user data", async () => {
    const other = { key: { ...key, args: { name: "other", publicKey: PUBLIC_KEY } } };
    useToken("short");
    expect(await stack.up(other)).toContain("entered token is invalid (must be exactly 64 characters long)");
    useToken(READ_ONLY);
    expect(await stack.up(other)).toContain("insufficient permissions for this request (forbidden");
    stack.expectNone([TOKEN, ROTATED, READ_ONLY, "nobody's business"]);
  });
});
