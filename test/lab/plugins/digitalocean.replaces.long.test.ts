import { describe, expect, test } from "vitest";
import { contract } from "../contracts/contract";
import { cloud, droplet, key, stack, usePlugin } from "./digitalocean";

contract("digitalocean plugin", ["pulumi-resource-digitalocean"], (kind) => {
  usePlugin(kind);

  describe("a change", () => {
    test("of anything else replaces the Droplet", async () => {
      const changed: Record<string, object> = {
        image: { image: "debian-12-x64" },
        region: { region: "ams3" },
        sshKeys: { sshKeys: ["ref:key.id"] },
        userData: { userData: "other" },
        monitoring: { monitoring: true },
        dropletAgent: { dropletAgent: true },
        vpcUuid: { vpcUuid: "00000000-0000-4000-8000-000000000000" },
        ipv6: { ipv6: false },
      };
      const named = (more: Record<string, object>) =>
        Object.fromEntries(Object.entries(more).map(([name, args]) => [name, droplet({ name, ipv6: true, ...args })]));
      const names = Object.keys(changed);
      await stack.up({ key, ...named(Object.fromEntries(names.map((name) => [name, {}]))) });
      const steps = await stack.preview({ key, ...named(changed) });
      expect(steps).toEqual(Object.fromEntries(names.map((name) => [name, "replace"])));
    });

    test("that replaces deletes first where the name was given, and last where it was made up", async () => {
      const both = (image: string) => ({ given: droplet({ image }), auto: droplet({ image, name: undefined }) });
      const machines = async () => [await stack.kept("given"), await stack.kept("auto")].map((kept) => `do${kept?.id}`);
      await stack.up(both("ubuntu-22-04-x64"));
      expect((await stack.kept("auto"))?.inputs.name).toMatch(/^auto-[0-9a-f]{7}$/);
      const [oldGiven, oldAuto] = await machines();
      await stack.up(both("debian-12-x64"));
      const [newGiven, newAuto] = await machines();
      const when = (what: string) => cloud.room.asked.indexOf(what);
      expect(when(`remove ${oldGiven}`)).toBeGreaterThan(0);
      expect(when(`remove ${oldGiven}`)).toBeLessThan(when(`order ${newGiven}`));
      expect(when(`order ${newAuto}`)).toBeLessThan(when(`remove ${oldAuto}`));
    });
  });
});
