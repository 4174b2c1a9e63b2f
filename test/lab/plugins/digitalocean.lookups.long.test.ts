import { expect, test } from "vitest";
import { publicKey } from "../../clouds/digitalocean/fixture";
import { contract } from "../contracts/contract";
import { changes, cloud, stack, usePlugin } from "./digitalocean";

contract("digitalocean plugin", ["pulumi-resource-digitalocean"], (kind) => {
  usePlugin(kind);
  const filter = (key: string, ...values: string[]) => ({ key, values });

  test("every look-up answers in full, in a preview too, with filters and sorts", async () => {
    const one = (await cloud.create({ tags: ["stack:prod"], backups: true })).body.droplet;
    await cloud.create({ name: "pillar-2" });
    const sshKey = await cloud.key();
    await new Promise((resolve) => setTimeout(resolve, 400));
    cloud.double.cloud.requests.length = 0;
    stack.spec = {
      invokes: {
        account: { fn: "getAccount", args: {} },
        regions: { fn: "getRegions", args: { filters: [filter("available", "false")] } },
        plans: {
          fn: "getSizes",
          args: {
            filters: [filter("vcpus", "4"), filter("regions", "nyc2"), { key: "slug", values: ["^s-"], matchBy: "re" }],
            sorts: [{ key: "price_monthly", direction: "desc" }],
          },
        },
        cheapest: { fn: "getSizes", args: { sorts: [{ key: "price_monthly" }] } },
        image: { fn: "getImage", args: { slug: "ubuntu-22-04-x64" } },
        debians: { fn: "getImages", args: { filters: [filter("distribution", "Debian")], sorts: [{ key: "name" }] } },
        droplet: { fn: "getDroplet", args: { name: "pillar-1" } },
        tagged: { fn: "getDroplet", args: { tag: "stack:prod" } },
        droplets: { fn: "getDroplets", args: { sorts: [{ key: "name", direction: "desc" }] } },
        keys: { fn: "getSshKeys", args: {} },
      },
    };
    expect(await stack.pulumi("preview")).toContain("operator@example.org");
    await stack.up();
    expect(changes()).toEqual([]);
    const paths = cloud.double.cloud.requests.map(({ path }) => path);
    expect(paths).toContain("/v2/sizes?page=1&per_page=200");

    const told = JSON.parse(await stack.pulumi("stack", "output", "--json"));
    expect(told.account).toMatchObject({ dropletLimit: 10, status: "active", emailVerified: true });
    expect(told.regions.regions.map(({ slug }: { slug: string }) => slug)).toEqual(["sfo1", "ams2"]);
    expect(told.plans.sizes.map(({ slug }: { slug: string }) => slug)).toEqual(["s-4vcpu-8gb"]);
    expect(told.plans.sizes[0]).toMatchObject({ priceMonthly: 48, priceHourly: 0.07143, disk: 160 });
    expect(told.cheapest.sizes[0].slug).toBe("s-1vcpu-512mb-10gb");
    expect(told.cheapest.sizes).toHaveLength(21);
    expect(told.image).toMatchObject({ id: 193_120_001, image: "193120001", private: false, type: "base" });
    expect(told.debians.images.map(({ slug }: { slug: string }) => slug)).toEqual(["debian-12-x64", "debian-13-x64"]);
    expect(told.droplet).toMatchObject({
      id: one.id,
      urn: `do:droplet:${one.id}`,
      ipv4Address: "198.51.100.11",
      backups: true,
      status: "active",
      image: "ubuntu-22-04-x64",
    });
    expect(told.tagged).toMatchObject({ id: one.id, tag: "stack:prod" });
    expect(told.droplets.droplets.map(({ name }: { name: string }) => name)).toEqual(["pillar-2", "pillar-1"]);
    expect(told.keys.sshKeys).toEqual([
      { fingerprint: sshKey.fingerprint, id: sshKey.id, name: "operator", publicKey },
    ]);
  });

  test("what is not there, a wrong key and a wrong token are errors", async () => {
    stack.spec = {
      invokes: {
        image: { fn: "getImage", args: { slug: "debian-11-x64" } },
        droplet: { fn: "getDroplet", args: { name: "nobody" } },
        plans: { fn: "getSizes", args: { filters: [filter("price", "1")] } },
      },
    };
    const said = await stack.pulumi("preview");
    expect(said).toContain("image not found: GET ");
    expect(said).toContain("no droplet found with name nobody");
    expect(said).toContain("expected filter.0.key to be one of ");
    await cloud.fault({ kind: "answer", path: "/account", status: 500, times: 2 });
    stack.spec = { provider: { httpRetryMax: 1 }, invokes: { account: { fn: "getAccount", args: {} } } };
    cloud.double.cloud.requests.length = 0;
    await stack.pulumi("preview");
    expect(cloud.double.cloud.requests.map(({ status }) => status)).toEqual([500, 500]);
    stack.token = `dop_v1_${"bad0".repeat(16)}`;
    stack.spec = { invokes: { account: { fn: "getAccount", args: {} } } };
    const refused = await stack.pulumi("preview");
    expect(refused).toContain("Unable to authenticate you");
    expect(refused).not.toContain(stack.token);
  });
});
