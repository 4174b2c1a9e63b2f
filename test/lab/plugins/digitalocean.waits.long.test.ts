import { describe, expect, test } from "vitest";
import { contract } from "../contracts/contract";
import { changes, cloud, droplet, stack, usePlugin } from "./digitalocean";

contract("digitalocean plugin", ["pulumi-resource-digitalocean"], (kind) => {
  usePlugin(kind);
  // The stand-in's first look, after 10 s in the real one, comes a hundred times earlier.
  const limit = kind === "double" ? "1s" : "15s";
  // Whichever of the two clocks ends first.
  const isOver = /to become ready: (context deadline exceeded|timeout while waiting for state to become 'active')/;

  describe("a Droplet", () => {
    test("that does not become active in time is kept as not initialized, and the next up goes on with it", async () => {
      const stuck = await cloud.fault({ kind: "slowAction", command: "create" });
      const host = droplet({}, { customTimeouts: { create: limit } });
      const said = await stack.up({ host });
      expect(said).toMatch(isOver);
      const kept = await stack.kept("host");
      expect(kept?.initErrors).toHaveLength(1);
      await cloud.ask("DELETE", `/_lab/faults/${stuck}`);
      expect(await stack.up({ host })).toContain("~ 1 updated");
      const later = await stack.kept("host");
      expect([later?.id, later?.outputs.status, later?.initErrors]).toEqual([kept?.id, "active", undefined]);
    });

    test("whose create fails at the provider and that vanishes is waited for, and an error when its time is over", async () => {
      await cloud.fault({ kind: "failAction", command: "create", vanishes: true });
      const said = await stack.up({ host: droplet({}, { customTimeouts: { create: limit } }) });
      expect(said).toMatch(isOver);
      expect((await stack.kept("host"))?.initErrors).toHaveLength(1);
    });

    test("that is active without an address is waited for", async () => {
      await cloud.fault({ kind: "lateAddress", seconds: 1.5 });
      await stack.up({ host: droplet() });
      expect((await stack.kept("host"))?.outputs.ipv4Address).toBe("198.51.100.11");
    });

    test("that is locked is not deleted", async () => {
      await stack.up({ host: droplet() });
      const id = (await stack.kept("host"))?.id;
      await cloud.fault({ kind: "slowAction", command: "reboot" });
      await cloud.ask("POST", `/v2/droplets/${id}/actions`, { type: "reboot" });
      const said = await stack.pulumi("destroy", "--yes", "--skip-preview");
      expect(said).toContain(`Error waiting for droplet to be unlocked for destroy (${id})`);
      expect(changes()).not.toContain("DELETE /v2/droplets/ID");
    });
  });
});
