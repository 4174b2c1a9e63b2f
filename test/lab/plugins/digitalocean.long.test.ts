import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createDigitalOcean, type DigitalOcean } from "../../../lab/clouds/digitalocean";
import { createKeyPair } from "../../../providers/hostKey";
import { contract } from "../contracts/contract";
import { type ServedCloud, serveCloud } from "./servedCloud";
import { isSecret, PluginStack, type Resource } from "./stack";

const tokenOf = (part: string) => `dop_v1_${part.repeat(16)}`;
const [TOKEN, READ_TOKEN, OTHER_TOKEN] = [tokenOf("5ec7"), tokenOf("4ead"), tokenOf("07e4")];
const { publicKey } = createKeyPair();
const USER_DATA = "#cloud-config\n# nobody reads this\n";
const plan = { image: "ubuntu-22-04-x64", size: "s-4vcpu-8gb", region: "fra1", name: "pillar-1" };
const droplet = (args: object = {}, opts: object = {}): Resource => ({
  type: "Droplet",
  args: { ...plan, ...args },
  opts,
});
const key: Resource = { type: "SshKey", args: { publicKey } };
const tag: Resource = { type: "Tag", args: { name: "pillar:Anvil" } };
const anywhere = ["0.0.0.0/0", "::/0"];
const inbound = [{ protocol: "tcp", portRange: "22", sourceAddresses: ["203.0.113.7/32"] }];
const outbound = [
  { protocol: "tcp", portRange: "all", destinationAddresses: anywhere },
  { protocol: "icmp", destinationAddresses: anywhere },
];
const wall = (
  inboundRules: object[] = inbound,
  outboundRules: object[] = outbound,
  name = "pillar:Anvil",
): Resource => ({
  type: "Firewall",
  args: { name: "pillar-1", tags: [name], inboundRules, outboundRules },
});

contract("digitalocean plugin", ["pulumi-resource-digitalocean"], (kind) => {
  let cloud: ServedCloud<DigitalOcean>;
  let stack: PluginStack;
  // The stand-in's waits are a hundred times shorter.
  const limit = kind === "double" ? "1s" : "15s";

  beforeEach(async () => {
    const tokens = { [TOKEN]: "write", [OTHER_TOKEN]: "write", [READ_TOKEN]: "read" } as const;
    const timings = { create: 300, action: 100, delete: 50 };
    cloud = await serveCloud(TOKEN, (room) => createDigitalOcean({ room, tokens, timings }));
    stack = await PluginStack.create(kind, "digitalocean", { PILLAR_LAB_DIGITALOCEAN_PACE: "0.01" });
    useToken(TOKEN);
  }, 900_000);
  afterEach(() => {
    cloud.close();
    stack.remove();
    expect([TOKEN, READ_TOKEN].filter((token) => stack.said.includes(token))).toEqual([]);
  });

  const useToken = (token: string) => {
    stack.settings = { token: { secret: token }, apiEndpoint: cloud.url };
  };
  /** Returns the changes at the cloud, in order, without numbers. */
  const changes = (): string[] =>
    cloud.requests
      .filter(({ method }) => method !== "GET")
      .map(({ method, path }) => `${method} ${path.replace(/[0-9a-f-]{36}|\d{5,}/, "ID")}`);
  const done = () => [...cloud.cloud.actions.values()].map(({ type }) => type);

  test("a host is created, unchanged, and deleted; no secret of it remains", async () => {
    const args = { tags: ["ref:tag.name"], sshKeys: ["ref:key.id"], userData: { secret: USER_DATA } };
    const resources = { key, tag, host: droplet(args), wall: wall() };
    expect(await stack.up(resources)).toContain("+ 6 created");
    const made = cloud.room.machines.values().next().value;
    expect(made?.order).toMatchObject({ name: "pillar-1", userData: USER_DATA, sshKeys: [publicKey.trim()] });
    expect(made?.rules).toEqual([{ protocol: "tcp", ports: "22", sources: ["203.0.113.7/32"] }]);
    const { inputs, outputs } = stack.kept().host ?? {};
    expect(outputs).toMatchObject({ status: "active", locked: false, ipv4Address: "192.0.2.1" });
    expect([inputs?.userData, outputs?.userData].map(isSecret)).toEqual([true, true]);
    expect(await stack.up()).toContain("6 unchanged");
    expect(await stack.destroy()).toContain("- 6 deleted");
    expect([cloud.cloud.droplets.size, cloud.cloud.firewalls.size]).toEqual([0, 0]);
    stack.expectNone([TOKEN, "nobody reads this"]);
  });

  test("backups, firewall and token change in place; another order or spelling changes nothing", async () => {
    await stack.up({ host: droplet(), wall: wall() });
    expect(
      await stack.preview({ host: droplet(), wall: wall(inbound, outbound.toReversed(), "PILLAR:anvil") }),
    ).toEqual({});
    const backupPolicy = { plan: "daily", hour: 4 };
    const p2p = { protocol: "udp", portRange: "35995", sourceAddresses: anywhere };
    const changed = { host: droplet({ backups: true, backupPolicy }), wall: wall([...inbound, p2p]) };
    useToken(OTHER_TOKEN);
    expect(await stack.up(changed)).toContain("~ 3 updated");
    expect(done()).toEqual(["create", "enable_backups"]);
    expect(changes().slice(2).toSorted()).toEqual(["POST /v2/droplets/ID/actions", "PUT /v2/firewalls/ID"]);
    const { id } = stack.kept().host ?? {};
    expect(cloud.cloud.droplets.get(Number(id))?.backupPolicy).toMatchObject(backupPolicy);
    expect(await stack.up()).toContain("4 unchanged");
  });

  test("any other change replaces the Droplet; with a given name it is deleted first", async () => {
    const changed: Record<string, object> = {
      image: { image: "debian-12-x64" },
      region: { region: "ams3" },
      sshKeys: { sshKeys: ["ref:key.id"] },
      userData: { userData: "other" },
    };
    const named = (more: Record<string, object>) =>
      Object.fromEntries(Object.entries(more).map(([name, args]) => [name, droplet({ name, ...args })]));
    const auto = (image: string) => ({ auto: droplet({ image, name: undefined }) });
    const names = Object.keys(changed);
    await stack.up({ key, ...named(Object.fromEntries(names.map((name) => [name, {}]))), ...auto("ubuntu-22-04-x64") });
    const before = stack.kept();
    expect(before.auto?.inputs.name).toMatch(/^auto-[0-9a-f]{7}$/);
    const steps = await stack.preview({ key, ...named(changed), ...auto("ubuntu-22-04-x64") });
    expect(steps).toEqual(Object.fromEntries(names.map((name) => [name, "replace"])));
    await stack.up({ key, ...named({ ...changed, region: {}, sshKeys: {}, userData: {} }), ...auto("debian-12-x64") });
    const after = stack.kept();
    const when = (what: string, id: string | undefined) => cloud.room.asked.indexOf(`${what} do${id}`);
    expect(when("remove", before.image?.id)).toBeLessThan(when("order", after.image?.id));
    expect(when("order", after.auto?.id)).toBeLessThan(when("remove", before.auto?.id));
  });

  test("a refresh drops a vanished Droplet; an import takes it over unchanged", async () => {
    const order = { ...plan, name: "old", tags: ["old"], user_data: "#!/bin/sh\n" };
    const { id } = (await cloud.ask("POST", "/v2/droplets", order)).droplet;
    await new Promise((resolve) => setTimeout(resolve, 400));
    const own = { name: "old", tags: ["old"] };
    const others = { gone: droplet({ name: "gone" }), key, wall: wall() };
    expect(await stack.up({ host: droplet(own, { import: String(id) }), ...others })).toContain("= 1 imported");
    await cloud.ask("DELETE", `/v2/droplets/${stack.kept().gone?.id}`);
    for (const { id } of cloud.cloud.keys.values()) await cloud.ask("DELETE", `/v2/account/keys/${id}`);
    for (const { id } of cloud.cloud.firewalls.values()) await cloud.ask("DELETE", `/v2/firewalls/${id}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await stack.refresh();
    expect(Object.keys(stack.kept())).toEqual(["host"]);
    expect(await stack.up({ host: droplet(own) })).toContain("3 unchanged");
    expect(await stack.preview({ key, host: droplet({ ...own, sshKeys: ["ref:key.id"] }) })).toMatchObject({
      host: "replace",
    });
  });

  describe("a Droplet", () => {
    test("is kept as uninitialized if it is not active in time, and the next up continues", async () => {
      const stuck = cloud.cloud.faults.add({ kind: "slowAction", command: "create" });
      const host = droplet({}, { customTimeouts: { create: limit } });
      // Whichever of the two clocks ends first.
      const isOver = /to become ready: (context deadline exceeded|timeout while waiting for state to become 'active')/;
      expect(await stack.up({ host })).toMatch(isOver);
      const kept = stack.kept().host;
      expect(kept?.initErrors).toHaveLength(1);
      cloud.cloud.faults.clear(stuck);
      expect(await stack.up({ host })).toContain("~ 1 updated");
      const later = stack.kept().host;
      expect([later?.id, later?.outputs.status, later?.initErrors]).toEqual([kept?.id, "active", undefined]);
    });

    test("is waited for while it has no address, and is not deleted while it is locked", async () => {
      cloud.cloud.faults.add({ kind: "lateAddress", seconds: 1.5 });
      await stack.up({ host: droplet() });
      const { id, outputs } = stack.kept().host ?? {};
      expect(outputs?.ipv4Address).toBe("192.0.2.1");
      cloud.cloud.faults.add({ kind: "slowAction", command: "power_off" });
      await cloud.ask("POST", `/v2/droplets/${id}/actions`, { type: "power_off" });
      expect(await stack.destroy()).toContain(`Error waiting for droplet to be unlocked for destroy (${id})`);
      expect(changes()).not.toContain("DELETE /v2/droplets/ID");
    });

    test("leaves nothing after a refused create, is tried five times, and doubles after a lost answer", async () => {
      useToken(READ_TOKEN);
      const said = await stack.up({ host: droplet() });
      expect(said).toMatch(/error: 1 error occurred:\s+\* Error creating droplet: POST http\S+\/v2\/droplets: 403 /);
      expect([stack.kept().host, changes()]).toEqual([undefined, ["POST /v2/droplets"]]);
      useToken(TOKEN);
      cloud.cloud.faults.add({ kind: "cutAnswer", method: "POST", path: "/droplets", times: 1 });
      cloud.cloud.faults.add({ kind: "answer", method: "POST", path: "/account/keys", status: 503 });
      expect(await stack.up({ host: droplet(), key })).toContain("giving up after 5 attempt(s)");
      expect(changes().filter((change) => change === "POST /v2/account/keys")).toHaveLength(5);
      const ids = [...cloud.cloud.droplets.keys()];
      expect([ids.length, stack.kept().host?.id]).toEqual([2, String(ids[1])]);
    });
  });
});
