import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { publicKey, TOKEN } from "../../clouds/digitalocean/fixture";
import { contract } from "../contracts/contract";
import { cloud, droplet, key, type Resource, stack, usePlugin, wall } from "./digitalocean";

contract("digitalocean plugin", ["pulumi-resource-digitalocean"], (kind) => {
  usePlugin(kind);
  const USER_DATA = "#cloud-config\n# nobody reads this\n";

  test("a host comes, stays as it is, and goes; no secret of it is left anywhere", async () => {
    const tag: Resource = { type: "Tag", args: { name: "pillar:Anvil" } };
    const args = { tags: ["ref:tag.name"], sshKeys: ["ref:key.id"], userData: { secret: USER_DATA } };
    const resources = { key, tag, host: droplet(args), wall };
    expect(await stack.up(resources)).toContain("+ 6 created");
    const made = cloud.room.machines.values().next().value;
    expect(made?.order).toMatchObject({ name: "pillar-1", userData: USER_DATA, sshKeys: [publicKey.trim()] });
    expect(made?.rules).toEqual([{ protocol: "tcp", ports: "22", sources: ["203.0.113.7/32"] }]);

    const host = await stack.kept("host");
    expect(host?.outputs).toMatchObject({
      status: "active",
      locked: false,
      ipv4Address: "198.51.100.11",
      priceMonthly: 48,
      vcpus: 4,
      memory: 8192,
      disk: 160,
      dropletUrn: `do:droplet:${host?.id}`,
      publicNetworking: true,
    });
    expect([host?.inputs.userData, host?.outputs.userData]).toEqual(
      Array(2).fill(expect.objectContaining({ ciphertext: expect.anything() })),
    );
    expect(await stack.up()).toContain("6 unchanged");

    expect(await stack.pulumi("destroy", "--yes", "--skip-preview")).toContain("- 6 deleted");
    expect([cloud.room.machines.size, cloud.double.cloud.droplets.size, cloud.double.cloud.firewalls.size]).toEqual([
      0, 0, 0,
    ]);
    const written = stack.written();
    expect([TOKEN, "nobody reads this"].filter((secret) => (written + stack.said).includes(secret))).toEqual([]);
  });

  test("user data that the program does not mark stands in clear among the inputs, and as a SHA-1 among the outputs", async () => {
    await stack.up({ host: droplet({ userData: USER_DATA }) });
    const host = await stack.kept("host");
    expect(host?.inputs.userData).toBe(USER_DATA);
    expect(host?.outputs.userData).toBe(createHash("sha1").update(USER_DATA).digest("hex"));
  });

  describe("the token", () => {
    test("is secret by the SDK's own class even where the program does not say so", async () => {
      const shown = `dop_v1_${"0e11".repeat(16)}`;
      stack.token = shown;
      stack.spec = { plainToken: true };
      await stack.pulumi("preview");
      await stack.up({});
      expect(stack.said).not.toContain(shown);
      expect(stack.written()).not.toContain(shown);
    });

    test("is not secret by the plugin: without that class it stands in the state in clear", async () => {
      const shown = `dop_v1_${"0e11".repeat(16)}`;
      stack.token = shown;
      stack.spec = { plainToken: true, bareProvider: true };
      await stack.up({});
      expect(stack.written()).toContain(shown);
    });
  });
});
