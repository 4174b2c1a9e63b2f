import { describe, expect, test } from "vitest";
import { contract } from "../contracts/contract";
import { cloud, droplet, key, type Resource, stack, usePlugin } from "./digitalocean";

contract("digitalocean plugin", ["pulumi-resource-digitalocean"], (kind) => {
  usePlugin(kind);
  describe("refresh", () => {
    test("finds what was changed, and drops what has vanished", async () => {
      const inboundRules = [{ protocol: "tcp", portRange: "22", sourceAddresses: ["0.0.0.0/0"] }];
      const wall: Resource = { type: "Firewall", args: { inboundRules } };
      await stack.up({ host: droplet(), gone: droplet({ name: "gone" }), key, wall });
      const [host, gone] = [(await stack.kept("host"))?.id, (await stack.kept("gone"))?.id];
      await cloud.ask("DELETE", `/v2/droplets/${gone}`);
      await cloud.ask("POST", `/v2/droplets/${host}/actions`, { type: "rename", name: "renamed" });
      for (const { id } of cloud.double.cloud.keys.values()) await cloud.ask("DELETE", `/v2/account/keys/${id}`);
      for (const { id } of cloud.double.cloud.firewalls.values()) await cloud.ask("DELETE", `/v2/firewalls/${id}`);
      await new Promise((resolve) => setTimeout(resolve, 200));
      await stack.pulumi("refresh", "--yes", "--skip-preview");
      const left = (await stack.resources()).map(({ urn }) => urn.split("::").at(-1));
      expect(left.sort()).toEqual(["cloud", "host", "tiny-test"]);
      expect((await stack.kept("host"))?.outputs).toMatchObject({ name: "renamed", image: "ubuntu-22-04-x64" });
    });

    test("of a Droplet does not look at its image, whose slug moves on", async () => {
      await stack.up({ host: droplet() });
      await cloud.ask("DELETE", "/_lab/images/ubuntu-22-04-x64");
      expect(await stack.pulumi("refresh", "--yes", "--skip-preview")).toContain("3 unchanged");
    });
  });

  describe("import by id", () => {
    test("takes over a Droplet as it is; keys in the program would replace it", async () => {
      const { id } = (await cloud.create({ tags: ["old"], user_data: "#!/bin/sh\n" })).body.droplet;
      await new Promise((resolve) => setTimeout(resolve, 400));
      const adopted = droplet({ tags: ["old"] }, { import: String(id) });
      expect(await stack.up({ host: adopted })).toContain("= 1 imported");
      expect(await stack.kept("host")).toMatchObject({
        id: String(id),
        outputs: { status: "active", resizeDisk: true },
      });
      expect(await stack.up({ host: droplet({ tags: ["old"] }) })).toContain("3 unchanged");
      const keyed = droplet({ tags: ["old"], sshKeys: ["aa:bb"] });
      expect(await stack.preview({ host: keyed })).toEqual({ host: "replace" });
      expect(cloud.double.cloud.droplets.size).toBe(1);
    });
  });
});
