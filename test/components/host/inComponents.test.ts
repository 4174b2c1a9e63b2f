import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CloudHost } from "../../../components/host/cloudHost";
import type { KeptPlan } from "../../../components/host/cloudParts";
import { registerExistingHost } from "../../../components/host/existingHost";
import { createHostArgs } from "../../../components/host/hostArgs";
import { createParts } from "../../../components/host/registerCloudHost";
import { HostRetirement } from "../../../components/retirement/guard";
import { createRetirementArgs } from "../../../components/retirement/idleHost";
import { createCloud } from "../../../core/cloud/clouds";
import type { CloudHostConfig, ExistingHostConfig } from "../../../core/config/hostSchema";
import { keyPair } from "../../core/chain/fakes";
import { configOf } from "../exampleConfig";
import { registeredBy } from "../fakeEngine";

const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const last = { finished: true };
const here = process.cwd();
let directory: string;

// Records of orders lie in the working directory.
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "moved-"));
  process.chdir(directory);
});
afterAll(() => {
  process.chdir(here);
  rmSync(directory, { recursive: true });
});

const pair = keyPair("");
const token = "t".repeat(64);
const tokens = { hetzner: token, digitalocean: token };

async function cloudHostOf(provider: CloudHostConfig["provider"]) {
  const config = configOf({
    host: { provider, token: tokens[provider], sshFrom: ["198.51.100.7/32"] },
    ssh: { privateKey: pair.private },
  });
  const wanted = config.host as CloudHostConfig;
  const owner = { stack: "prod-2", pillar: "Anvil" };
  const server = {
    id: "7",
    name: "anvil",
    address: "203.0.113.9",
    plan: "cx33",
    location: "fsn1",
    image: "ubuntu-22.04",
  };
  const plan = { kind: "keep", server, found: { servers: [server] }, isHalfMade: false } as unknown as KeptPlan;
  const host = new CloudHost("host", {
    ...(await createHostArgs(config, last)),
    plan,
    wanted,
    owner,
    orders: { read: async () => ({ attempts: [] }), write: async () => undefined },
    ordered: undefined,
    isProtected: true,
    isActive: true,
    publicKey: pair.public.trim(),
    openings: [],
    cloud: createCloud[provider]({ token }),
    parts: (around) => createParts[provider](token, undefined, plan.found, around),
    server: { provider, token },
  });
  new HostRetirement("retirement", { ...(await createRetirementArgs(config, host, last)), after: [] });
}

const made = {
  "host-key": { publicKey: hostKey, privateKey: "hunter2", fingerprint: "SHA256:x" },
  "first-contact": { pinned: hostKey, fingerprint: "SHA256:x" },
  "login-key": { isOrdered: true },
  server: { ipv4Address: "203.0.113.9" },
};

test.each(["hetzner", "digitalocean"] as const)(
  "puts a server at %s and what belongs to it into the host",
  async (provider) => {
    const all = await registeredBy(() => cloudHostOf(provider), { ...made, firewall: {} });
    const plain = all.filter(({ type }) => !type.startsWith("pillar-host:") && !type.startsWith("pulumi:"));
    expect(plain.map(({ name, parent }) => [name, parent]).sort()).toEqual(
      [
        ...[
          "first-contact",
          "firewall",
          "host-cloud-init",
          "host-guard",
          "host-key",
          "login-key",
          "server",
          "ssh-key",
        ].map((name) => [name, "host"]),
        ...(provider === "digitalocean" ? [["tag", "host"]] : []),
        ["guard", "retirement"],
      ].sort(),
    );
  },
);

test("puts guard and first contact into an existing host, and the shutdown into the retirement", async () => {
  const config = configOf({ lifecycle: "retiring", host: { provider: "existing", address: "203.0.113.7", hostKey } });
  const all = await registeredBy(async () => {
    const { host } = await registerExistingHost(config, config.host as ExistingHostConfig, last);
    if (!host) throw new Error("no host");
    const shutDown = { first: host.guard, run: undefined };
    new HostRetirement("retirement", {
      ...(await createRetirementArgs(config, host, last)),
      after: [host.guard],
      shutDown,
    });
  });
  const plain = all.filter(({ type }) => !type.startsWith("pillar-host:"));
  expect(plain.map(({ name, parent }) => [name, parent]).sort()).toEqual([
    ["first-contact", "host"],
    ["guard", "retirement"],
    ["host-guard", "host"],
    ["node-shutdown", "retirement"],
  ]);
  expect(all.find(({ name }) => name === "guard")?.after).toHaveLength(2);
  expect(all.find(({ name }) => name === "guard")?.after).toEqual(
    expect.arrayContaining(["host-guard", "node-shutdown"]),
  );
});
