import { expect, test } from "vitest";
import { createChainCopyInputs } from "../../../core/chainCopy/copyInputs.ts";
import { extractRawConfig, parseConfig } from "../../../core/config/config.ts";
import { createWitnessSources } from "../../../core/sync/gateSettings.ts";
import { configOf, least } from "../../components/exampleConfig.ts";

const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const other = { address: "198.51.100.9", hostKey };

const minimums = { cores: 4, memoryGb: 4, diskGb: 40, bandwidthMbps: 100 };
test("replaces a default by a set value, and keeps the defaults beside it", () => {
  const { host } = configOf({ host: { ...least.host, minimums: { cores: 2 } } });
  expect(host.minimums).toEqual({ ...minimums, cores: 2 });
  expect(configOf({ sync: { deadline: "90s" } }).sync).toEqual({ ...configOf().sync, deadline: 90_000 });
});

test("allows keys that the caller sets later to be missing, but not to be wrong", () => {
  const raw = { ...least, ssh: { ...least.ssh, sudoPassword: undefined }, pillar: {} };
  expect(parseConfig(raw, "prod", ["pillar.name"])).toEqual({ faults: [] });
  expect(parseConfig({ ...raw, pillar: { name: "a b" } }, "prod", ["pillar.name"])).toHaveProperty("faults.length", 1);
});

test("takes values of the engine, and token and address of the cloud's own plugin", () => {
  const all = { "pillar-host:host": '{"provider":"hetzner"}', "pillar-host:notify": "[x", "hcloud:token": "t" };
  expect(extractRawConfig({ ...all, "hcloud:endpoint": "http://127.0.0.1", "aws:region": "x" })).toEqual({
    raw: { host: { provider: "hetzner", token: "t" }, notify: "[x" },
    apiEndpoint: "http://127.0.0.1",
  });
});

test("copies the chain of the old host, whose names default to the new one's", () => {
  const fresh = { address: "203.0.113.7", hostKey };
  const copyFrom = (oldHost: object) => createChainCopyInputs(configOf({ sync: { from: "oldHost" }, oldHost }), fresh);
  expect(copyFrom({ ...other, copyAddress: "10.0.0.9", rpcPort: 1, dataDir: "/data" })).toMatchObject({
    copy: { address: "10.0.0.9", port: 22 },
    limitMbps: 0,
    identity: "pillar-host/prod Anvil",
    old: { node: { via: "ssh", address: "127.0.0.1", port: 1 }, service: "go-node", dataDir: "/data" },
  });
  expect(copyFrom({ ...other, service: "znnd", orchestrator: { service: "signer" } })).toMatchObject({
    copy: { address: "198.51.100.9" },
    old: {
      service: "znnd",
      dataDir: "/root/.znn",
      host: { ssh: { address: "198.51.100.9" }, configured: "pillar-host:oldHost" },
    },
  });
});

test("asks the old host of an active stack as a witness, with its login and port", () => {
  const oldHost = { ...other, user: "op", password: "hunter2", rpcPort: 4 };
  const active = createWitnessSources(configOf({ sync: { references: [] }, oldHost }));
  const ssh = { address: "198.51.100.9", user: "op", password: "hunter2" };
  expect(active).toMatchObject({ witnessHost: { ssh, via: "ssh", port: 4 } });
  expect(active).not.toHaveProperty("isChainUnverified");
  const { witnessHost, isChainUnverified } = createWitnessSources(configOf({ lifecycle: "adopted", oldHost }));
  expect([witnessHost, isChainUnverified]).toEqual([undefined, true]);
  expect(createWitnessSources(configOf()).witnessHost).toBeUndefined();
});
