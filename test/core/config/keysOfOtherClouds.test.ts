import { expect, test } from "vitest";
import { findUnusedCloudKeys } from "../../../core/config/config";

const all = { "hcloud:token": "t", "digitalocean:token": "u", "digitalocean:apiEndpoint": "", "pillar-host:x": "y" };

test("reports a token of another cloud's plugin, with the command that removes it", () => {
  expect(findUnusedCloudKeys({ provider: "digitalocean" }, all, "prod-2")).toEqual([
    "hcloud:token is read by nothing: it is for hetzner, and host.provider is digitalocean\n  To take it away: pulumi config rm hcloud:token -s prod-2",
  ]);
  expect(findUnusedCloudKeys({ provider: "existing" }, all, "prod-2")).toHaveLength(2);
});

test("reports no key of its own cloud, and nothing for a broken host block", () => {
  expect(findUnusedCloudKeys({ provider: "hetzner" }, { "hcloud:token": "t", "hcloud:endpoint": "e" }, "prod")).toEqual(
    [],
  );
  expect(findUnusedCloudKeys(undefined, {}, "prod")).toEqual([]);
});
