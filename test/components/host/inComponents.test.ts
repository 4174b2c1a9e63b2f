import { expect, test } from "vitest";
import { createCloudHost } from "../../../components/host/cloudHost.ts";
import { createHostArgs } from "../../../components/host/hostComponent.ts";
import { HostRetirement } from "../../../components/retirement/guard.ts";
import type { CloudConfig } from "../../../core/cloud/cloud.ts";
import { openCloud } from "../../../core/cloud/clouds.ts";
import type { CloudHostConfig } from "../../../core/config/hostSchema.ts";
import { keyPair } from "../../core/chain/fakes.ts";
import { configOf } from "../exampleConfig.ts";
import { type Registered, registeredBy, revealed } from "../fakeEngine.ts";

const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const last = { finished: true };

async function registerCloudHost(provider: CloudHostConfig["provider"]) {
  const config = configOf({
    host: { provider, token: "t".repeat(64), sshFrom: ["198.51.100.7/32"], backups: true },
    ssh: { privateKey: keyPair("").private },
  }) as CloudConfig;
  const server = { id: "7", name: "anvil", address: "203.0.113.9", plan: "cx33", location: "fsn1" };
  const record = { attempts: [] };
  const run = {
    config,
    cloud: openCloud(config),
    orders: { read: async () => record, write: async () => undefined },
    record,
    plan: { kind: "keep" as const, server, found: { servers: [server], firewall: "9" }, isHalfMade: false },
  };
  const args = { ...createHostArgs(config, last), openings: [], strangers: {} };
  const host = createCloudHost(run, args);
  new HostRetirement({ host, after: [], shutDown: { run: undefined } });
}

const made = {
  "host-key": {
    publicKey: hostKey,
    privateKey: "hunter2",
    fingerprint: "SHA256:x",
    orders: [{ number: "0a1b", at: "2026-11-21T14:00:00.000Z" }],
  },
  "first-contact": { pinned: hostKey, fingerprint: "SHA256:x" },
  "server-order": { isOrdered: true },
  server: { ipv4Address: "203.0.113.9" },
};

/** Returns type, name and parent of all but the providers. */
const places = (all: readonly Registered[]) =>
  all
    .filter(({ type }) => !type.startsWith("pulumi:"))
    .map(({ type, name, parent }) => [type, name, parent].join(" "))
    .sort();

test.each([
  ["hetzner", "hcloud:index/", []],
  ["digitalocean", "digitalocean:index/", ["digitalocean:index/tag:Tag tag host"]],
] as const)("puts a server at %s and what belongs to it into the host", async (provider, plugin, more) => {
  const all = await registeredBy(() => registerCloudHost(provider), { ...made, firewall: {} });
  const isHetzner = provider === "hetzner";
  expect(places(all)).toEqual(
    [
      "command:remote:Command host-cloud-init host",
      `${plugin}firewall:Firewall firewall host`,
      `${plugin}${isHetzner ? "server:Server" : "droplet:Droplet"} server host`,
      `${plugin}sshKey:SshKey ssh-key host`,
      ...more,
      "pillar-host:host:CloudHost host ",
      "pillar-host:host:Retirement retirement ",
      "pulumi-nodejs:host:Contact first-contact host",
      "pulumi-nodejs:host:Key host-key host",
      "pulumi-nodejs:host:SetUp host-set-up host",
      "pulumi-nodejs:node:Shutdown node-shutdown retirement",
      "pulumi-nodejs:host:Order server-order host",
      "pulumi-nodejs:host:Guard guard retirement",
      "pulumi-nodejs:host:Guard host-guard host",
    ].sort(),
  );
  const after = (wanted: string) => all.find(({ name }) => name === wanted)?.after;
  // A destroy asks for servers that the state lacks before it deletes what protects them.
  expect(after("server")).toContain("server-order");
  expect(after("server-order")).toEqual(expect.arrayContaining(["firewall", "ssh-key"]));
  expect(after("node-shutdown")).toContain("host-guard");
  expect(after("guard")).toContain("node-shutdown");
  const { backups, ...inputs } = revealed(all.find(({ name }) => name === "server")?.inputs) as Record<string, object>;
  expect([backups, inputs.deleteProtection, inputs.backupPolicy]).toEqual(
    isHetzner ? [true, true, undefined] : [true, undefined, { plan: "weekly", weekday: "SUN", hour: 4 }],
  );
});
