import { afterAll, beforeAll, expect, test } from "vitest";
import { type ServedCloud, serveCloud } from "../clouds/servedCloud.ts";
import { contract } from "../contracts/contract.ts";
import { isSecret, PluginStack, type Resource, type Resources } from "./stack.ts";

// All tests share one stack; each continues from the previous test.

const [ROTATED, READ_ONLY] = ["v".repeat(64), "r".repeat(64)];
const PUBLIC_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFGSBtGbUCwrGN7Gq8VzKQVWmBcQTTWqvSAZ8qkzNQVS someone";
const USER_DATA = "#cloud-config\n# nobody's business\n";

const key: Resource = { type: "SshKey", args: { name: "anvil", publicKey: PUBLIC_KEY } };
const firewall = (...ports: string[]): Resource => ({
  type: "Firewall",
  args: {
    name: "anvil",
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
  let cloud: ServedCloud;
  let stack: PluginStack;

  beforeAll(async () => {
    cloud = await serveCloud("hetzner", { actionMs: 50, tokens: { [ROTATED]: "write", [READ_ONLY]: "read" } });
    stack = await PluginStack.create(kind, "hcloud");
    useToken(cloud.token);
  }, 900_000);

  afterAll(() => {
    cloud.close();
    stack.remove();
  });

  const useToken = (token: string) => {
    stack.settings = { token: { secret: token }, endpoint: cloud.endpoint };
  };
  const servers = () => [...cloud.account.servers.values()];
  const writes = () => cloud.requests.filter(({ method }) => method !== "GET").length;
  const ports = () => [...cloud.machines.values()].map(({ rules }) => rules?.map((rule) => rule.ports).sort());

  test("a server is created with key and firewall, protected, and then unchanged, also with another token", async () => {
    expect(await stack.up(all)).toContain("+ 5 created");
    const { name, labels } = made;
    const shown = {
      name,
      labels,
      plan: "cpx32",
      location: "nbg1",
      status: "running",
      isProtected: true,
      backups: "daily",
    };
    expect(servers()).toMatchObject([shown]);
    const [machine] = cloud.machines.values();
    expect(machine?.order).toMatchObject({ userData: USER_DATA, sshKeys: [PUBLIC_KEY] });
    expect(ports()).toEqual([["22", "35995"]]);
    const { outputs, inputs } = stack.kept().server ?? {};
    expect(outputs).toMatchObject({ ipv4Address: "192.0.2.1", status: "running" });
    expect([inputs?.userData, outputs?.userData].map(isSecret)).toEqual([true, true]);
    const before = writes();
    expect(await stack.up()).toContain("5 unchanged");
    expect(writes()).toBe(before);
    useToken(ROTATED);
    expect(await stack.up()).toContain("~ 1 updated");
  });

  test("firewall rules and protection change in place; another image, key or user data unless ignored replaces", async () => {
    expect(await stack.up({ ...all, firewall: firewall("22") })).toContain("~ 1 updated");
    expect(ports()).toEqual([["22"]]);
    const other = { ...made, image: "debian-12", userData: "other", sshKeys: [] };
    expect(await stack.preview({ ...all, server: server(other) })).toMatchObject({ server: "replace" });
    const ignoring = { ignoreChanges: ["image", "userData", "sshKeys"] };
    const free = { ...other, deleteProtection: false, rebuildProtection: false };
    expect(await stack.destroy()).toContain("server deletion is protected (protected, ");
    expect(await stack.up({ ...all, server: server(free, ignoring) })).toContain("~ 2 updated");
    expect([cloud.machines.size, servers()[0]?.isProtected]).toEqual([1, false]);
    expect(await stack.destroy()).toContain("- 5 deleted");
    expect([servers().length, cloud.account.firewalls.size, cloud.account.keys.size]).toEqual([0, 0, 0]);
  });

  test("a create that fails after the server exists is recorded, and the next up leaves out what is missing", async () => {
    const path = "/servers/*/actions/change_protection";
    cloud.account.faults.add({ kind: "answer", path, status: 503, times: 1 });
    const half = { two: server({ ...plan, name: "two", deleteProtection: true, rebuildProtection: true }) };
    expect(await stack.up(half)).toContain("(unavailable, ");
    expect(Object.keys(stack.kept())).toEqual(["two"]);
    expect(await stack.up(half)).toContain("~ 1 updated");
    expect(servers()).toMatchObject([{ name: "two", isProtected: false }]);
    await stack.destroy();
  });

  test("a create that does not end in time is recorded, and says no more than that", async () => {
    cloud.account.faults.add({ kind: "slowAction", command: "create_server" });
    const late = { late: server({ ...plan, name: "late" }, { customTimeouts: { create: "3s" } }) };
    expect(await stack.up(late)).toContain("context deadline exceeded");
    expect(stack.kept().late?.initErrors).toHaveLength(1);
    cloud.account.faults.clear();
    expect(await stack.up(late)).toContain("~ 1 updated");
    expect(servers()).toMatchObject([{ name: "late", status: "running" }]);
    await stack.destroy();
  });

  test("refuses a short or read-only token, and stores neither token nor user data", async () => {
    useToken("short");
    expect(await stack.up({ key })).toContain("entered token is invalid (must be exactly 64 characters long)");
    useToken(READ_ONLY);
    expect(await stack.up({ key })).toContain("insufficient permissions for this request (forbidden");
    stack.expectNone([cloud.token, ROTATED, READ_ONLY, "nobody's business"]);
  });
});
