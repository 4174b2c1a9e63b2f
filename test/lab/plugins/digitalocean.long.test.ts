import { afterEach, beforeEach, expect, test } from "vitest";
import { createKeyPair } from "../../../providers/hostKey.ts";
import { type ServedCloud, serveCloud } from "../clouds/servedCloud.ts";
import { contract } from "../contracts/contract.ts";
import { isSecret, PluginStack, type Resource } from "./stack.ts";

const tokenOf = (part: string) => `dop_v1_${part.repeat(16)}`;
const [READ_TOKEN, OTHER_TOKEN] = [tokenOf("4ead"), tokenOf("07e4")];
const { publicKey } = createKeyPair();
const USER_DATA = "#cloud-config\n# nobody reads this\n";
const plan = { image: "ubuntu-22-04-x64", size: "s-4vcpu-8gb", region: "fra1", name: "pillar-1" };
const droplet = (args: object = {}, opts: object = {}): Resource => ({
  type: "Droplet",
  args: { ...plan, ...args },
  opts,
});
const key: Resource = { type: "SshKey", args: { name: "anvil", publicKey } };
const tag: Resource = { type: "Tag", args: { name: "pillar:Anvil" } };
const anywhere = ["0.0.0.0/0", "::/0"];
const ssh = { protocol: "tcp", portRange: "22", sourceAddresses: ["203.0.113.7/32"] };
const p2p = { protocol: "udp", portRange: "35995", sourceAddresses: anywhere };
const wall = (...inboundRules: object[]): Resource => ({
  type: "Firewall",
  args: {
    name: "pillar-1",
    tags: ["pillar:Anvil"],
    inboundRules,
    outboundRules: [
      { protocol: "tcp", portRange: "all", destinationAddresses: anywhere },
      { protocol: "icmp", destinationAddresses: anywhere },
    ],
  },
});

contract("digitalocean plugin", ["pulumi-resource-digitalocean"], (kind) => {
  let cloud: ServedCloud;
  let stack: PluginStack;

  beforeEach(async () => {
    cloud = await serveCloud("digitalocean", {
      actionMs: 100,
      tokens: { [OTHER_TOKEN]: "write", [READ_TOKEN]: "read" },
    });
    stack = await PluginStack.create(kind, "digitalocean");
    useToken(cloud.token);
  }, 900_000);
  afterEach(() => {
    cloud.close();
    stack.expectNone([cloud.token, READ_TOKEN, "nobody reads this"]);
    stack.remove();
  });

  const useToken = (token: string) => {
    stack.settings = { token: { secret: token }, apiEndpoint: cloud.endpoint };
  };
  const droplets = () => [...cloud.account.servers.values()];
  /** Returns the changes at the cloud, in order, without numbers. */
  const changes = (): string[] =>
    cloud.requests
      .filter(({ method }) => method !== "GET")
      .map(({ method, path }) => `${method} ${path.replace(/\d{5,}/, "ID")}`);

  test("a host is created and then unchanged; its firewall changes in place, also with another token", async () => {
    const backups = { backups: true, backupPolicy: { plan: "weekly", weekday: "SUN", hour: 4 } };
    const args = { tags: ["ref:tag.name"], sshKeys: ["ref:key.id"], userData: { secret: USER_DATA }, ...backups };
    const host = { key, tag, host: droplet(args) };
    expect(await stack.up({ ...host, wall: wall(ssh) })).toContain("+ 6 created");
    const [made] = cloud.machines.values();
    expect(made?.order).toMatchObject({ name: "pillar-1", userData: USER_DATA, sshKeys: [publicKey.trim()] });
    expect(made?.rules).toEqual([{ protocol: "tcp", ports: "22", sources: ["203.0.113.7/32"] }]);
    expect(droplets()).toMatchObject([{ backups: "weekly" }]);
    const { inputs, outputs } = stack.kept().host ?? {};
    expect(outputs).toMatchObject({ status: "active", ipv4Address: "192.0.2.1" });
    expect([inputs?.userData, outputs?.userData].map(isSecret)).toEqual([true, true]);
    expect(await stack.up()).toContain("6 unchanged");
    useToken(OTHER_TOKEN);
    expect(await stack.up({ ...host, wall: wall(ssh, p2p) })).toContain("~ 2 updated");
    expect(changes().slice(4)).toEqual(["PUT /v2/firewalls/ID"]);
    expect(await stack.up()).toContain("6 unchanged");
    expect(await stack.destroy()).toContain("- 6 deleted");
    expect([droplets(), cloud.account.firewalls.size]).toEqual([[], 0]);
  });

  test("another image, region, key or user data replaces the Droplet", async () => {
    await stack.up({ key, host: droplet() });
    for (const changed of [
      { image: "debian-12-x64" },
      { region: "ams3" },
      { sshKeys: ["ref:key.id"] },
      { userData: "other" },
    ])
      expect(await stack.preview({ key, host: droplet(changed) })).toEqual({ host: "replace" });
  });

  test("a refresh drops what vanished; an import takes a Droplet over unchanged", async () => {
    const order = { ...plan, name: "old", tags: ["old"], user_data: "#!/bin/sh\n" };
    const { id } = (await cloud.ask("POST", "/droplets", order)).droplet;
    await expect.poll(() => droplets()[0]?.status).toBe("running");
    const own = { name: "old", tags: ["old"] };
    const others = { gone: droplet({ name: "gone" }), key, wall: wall(ssh) };
    expect(await stack.up({ host: droplet(own, { import: String(id) }), ...others })).toContain("= 1 imported");
    cloud.account.servers.delete(Number(stack.kept().gone?.id));
    for (const each of [cloud.account.keys, cloud.account.firewalls]) each.clear();
    await stack.refresh();
    expect(Object.keys(stack.kept())).toEqual(["host"]);
    expect(await stack.up({ host: droplet(own) })).toContain("3 unchanged");
    expect(await stack.preview({ key, host: droplet({ ...own, sshKeys: ["ref:key.id"] }) })).toMatchObject({
      host: "replace",
    });
  });

  test("a create that does not end in time is recorded with its reason", async () => {
    cloud.account.faults.add({ kind: "slowAction", command: "create" });
    const late = { host: droplet({}, { customTimeouts: { create: "3s" } }) };
    expect(await stack.up(late)).toMatch(
      /Error waiting for droplet \(\d+\) to become ready: .*context deadline exceeded/,
    );
    expect(stack.kept().host?.initErrors).toHaveLength(1);
    cloud.account.faults.clear();
    await expect.poll(() => droplets()[0]?.status).toBe("running");
    expect(await stack.up(late)).toContain("~ 1 updated");
    expect(stack.kept().host?.outputs.status).toBe("active");
  });

  test("a locked Droplet is not deleted", async () => {
    await stack.up({ host: droplet() });
    const { id } = stack.kept().host ?? {};
    cloud.account.faults.add({ kind: "slowAction", command: "power_off" });
    await cloud.ask("POST", `/droplets/${id}/actions`, { type: "power_off" });
    expect(await stack.destroy()).toContain(`Error waiting for droplet to be unlocked for destroy (${id})`);
    expect(changes()).not.toContain("DELETE /v2/droplets/ID");
  });

  test("a create leaves nothing if it is refused, and is tried five times", async () => {
    useToken(READ_TOKEN);
    const said = await stack.up({ host: droplet() });
    expect(said).toMatch(/error: 1 error occurred:\s+\* Error creating droplet: POST http\S+\/v2\/droplets: 403 /);
    expect([stack.kept().host, changes()]).toEqual([undefined, ["POST /v2/droplets"]]);
    useToken(cloud.token);
    cloud.account.faults.add({ kind: "quota", times: 1 });
    expect(await stack.up({ host: droplet() })).toMatch(/POST http\S+\/v2\/droplets: 422 .*exceed your droplet limit/);
    cloud.account.faults.add({ kind: "answer", method: "POST", path: "/account/keys", status: 503 });
    expect(await stack.up({ key })).toContain("giving up after 5 attempt(s)");
    expect(changes().filter((change) => change === "POST /v2/account/keys")).toHaveLength(5);
  });
});
