import { describe, expect, test } from "vitest";
import { contract } from "../contracts/contract";
import { anywhere, changes, cloud, droplet, stack, usePlugin, wall } from "./digitalocean";

contract("digitalocean plugin", ["pulumi-resource-digitalocean"], (kind) => {
  usePlugin(kind);

  const done = () => [...cloud.double.cloud.actions.values()].map(({ type }) => type);

  describe("a change", () => {
    test("of size, name and tags is made in place, with a power cycle for the size; of ipv6 by the next update", async () => {
      await stack.up({ host: droplet({ tags: ["a", "b"] }), wall });
      cloud.double.cloud.requests.length = 0;
      const args = { size: "s-8vcpu-16gb", name: "other", tags: ["B", "c"], ipv6: true };
      expect(await stack.up({ host: droplet(args), wall })).toContain("~ 1 updated");
      const act = "POST /v2/droplets/ID/actions";
      expect(changes().slice(0, 4)).toEqual([act, act, act, act]);
      // Tags are a set, without an order.
      expect(changes().slice(4).toSorted()).toEqual([
        ...["DELETE /v2/tags/a/resources", "DELETE /v2/tags/b/resources", "POST /v2/tags", "POST /v2/tags"],
        ...["POST /v2/tags/b/resources", "POST /v2/tags/c/resources"],
      ]);
      const { outputs } = (await stack.kept("host")) ?? {};
      expect(outputs).toMatchObject({ name: "other", status: "active", disk: 320, ipv6: false });
      expect(done()).toEqual(["create", "power_off", "resize", "power_on", "rename"]);
      expect(await stack.up()).toContain("~ 1 updated");
      expect(done().at(-1)).toBe("enable_ipv6");
      expect(await stack.up()).toContain("4 unchanged");
    });

    test("of backups is made in place, but with a size in the same update only by the next one", async () => {
      await stack.up({ host: droplet() });
      const backupPolicy = { plan: "daily", hour: 4 };
      const args = { backups: true, backupPolicy };
      const both = { host: droplet({ ...args, size: "s-8vcpu-16gb" }) };
      expect(await stack.up(both)).toContain("backup_policy can only be set when backups are enabled");
      expect(done()).toEqual(["create", "power_off", "resize", "power_on"]);
      expect(await stack.up(both)).toContain("~ 1 updated");
      expect(done().slice(4)).toEqual(["enable_backups"]);
      const { id, outputs } = (await stack.kept("host")) ?? {};
      expect(outputs).toMatchObject({ status: "active", backups: true, disk: 320 });
      expect(cloud.double.cloud.droplets.get(Number(id))?.backupPolicy).toMatchObject(backupPolicy);
    });

    test("of a firewall is made in place, and its order or its spelling is none", async () => {
      await stack.up({ wall });
      const { inboundRules, outboundRules, ...rest } = wall.args as Record<string, object[]>;
      const turned = { ...rest, inboundRules, outboundRules: outboundRules?.toReversed(), tags: ["PILLAR:anvil"] };
      expect(await stack.preview({ wall: { type: "Firewall", args: turned } })).toEqual({});
      const p2p = { protocol: "udp", portRange: "35995", sourceAddresses: anywhere };
      const more = { ...turned, inboundRules: [...(inboundRules ?? []), p2p] };
      expect(await stack.up({ wall: { type: "Firewall", args: more } })).toContain("~ 1 updated");
      expect(changes()).toEqual(["POST /v2/firewalls", "PUT /v2/firewalls/ID"]);
    });

    test("of the token replaces nothing", async () => {
      await stack.up({ host: droplet() });
      const other = `dop_v1_${"07e4".repeat(16)}`;
      (cloud.double.cloud.tokens as Map<string, "write">).set(other, "write");
      stack.token = other;
      expect(await stack.preview({ host: droplet() })).toEqual({ cloud: "update" });
      expect(await stack.up()).toContain("~ 1 updated");
    });
  });
});
