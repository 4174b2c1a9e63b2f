import { describe, expect, test } from "vitest";
import { contract } from "../contracts/contract";
import { anywhere, changes, cloud, droplet, stack, usePlugin, wall } from "./digitalocean";

contract("digitalocean plugin", ["pulumi-resource-digitalocean"], (kind) => {
  usePlugin(kind);

  const LIMIT = 120_000;

  describe("a change", () => {
    test(
      "of size, backups, name, tags and ipv6 is made in place, with a power cycle for the size",
      async () => {
        await stack.up({ host: droplet({ tags: ["a", "b"] }), wall });
        cloud.double.cloud.requests.length = 0;
        const backupPolicy = { plan: "daily", hour: 4 };
        const args = { size: "s-8vcpu-16gb", name: "other", tags: ["B", "c"], ipv6: true, backups: true, backupPolicy };
        expect(await stack.up({ host: droplet(args), wall })).toContain("~ 1 updated");
        const act = "POST /v2/droplets/ID/actions";
        expect(changes()).toEqual([
          act,
          act,
          act,
          act,
          act,
          act,
          "DELETE /v2/tags/a/resources",
          "POST /v2/tags",
          "POST /v2/tags/c/resources",
        ]);
        const { id, outputs } = (await stack.kept("host")) ?? {};
        expect(outputs).toMatchObject({ name: "other", status: "active", disk: 320, ipv6: true, backups: true });
        expect([...(cloud.double.cloud.actions.values() ?? [])].map(({ type }) => type)).toEqual([
          "create",
          "power_off",
          "resize",
          "power_on",
          "rename",
          "enable_backups",
          "enable_ipv6",
        ]);
        expect(cloud.double.cloud.droplets.get(Number(id))?.backupPolicy).toMatchObject(backupPolicy);
        expect(await stack.up()).toContain("4 unchanged");
      },
      LIMIT,
    );

    test(
      "of a firewall is made in place, and its order or its spelling is none",
      async () => {
        await stack.up({ wall });
        const { inboundRules, outboundRules, ...rest } = wall.args as Record<string, object[]>;
        const turned = { ...rest, inboundRules, outboundRules: outboundRules?.toReversed(), tags: ["PILLAR:anvil"] };
        expect(await stack.preview({ wall: { type: "Firewall", args: turned } })).toEqual({});
        const p2p = { protocol: "udp", portRange: "35995", sourceAddresses: anywhere };
        const more = { ...turned, inboundRules: [...(inboundRules ?? []), p2p] };
        expect(await stack.up({ wall: { type: "Firewall", args: more } })).toContain("~ 1 updated");
        expect(changes()).toEqual(["POST /v2/firewalls", "PUT /v2/firewalls/ID"]);
      },
      LIMIT,
    );

    test(
      "of the token replaces nothing",
      async () => {
        await stack.up({ host: droplet() });
        const other = `dop_v1_${"07e4".repeat(16)}`;
        (cloud.double.cloud.tokens as Map<string, "write">).set(other, "write");
        stack.token = other;
        expect(await stack.preview({ host: droplet() })).toEqual({ cloud: "update" });
        expect(await stack.up()).toContain("~ 1 updated");
      },
      LIMIT,
    );
  });
});
