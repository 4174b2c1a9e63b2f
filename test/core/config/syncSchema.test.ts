import { describe, expect, test } from "vitest";
import { createChainCopyArgs } from "../../../components/node/chainCopyArgs";
import { configOf, faultsOf } from "../../components/exampleConfig";

const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const other = { address: "198.51.100.9", hostKey };

describe("where the node's chain comes from", () => {
  test("is the network by default", () => {
    expect(configOf().sync).not.toHaveProperty("from");
    expect(createChainCopyArgs(configOf(), "prod")).toBeUndefined();
    expect(createChainCopyArgs(configOf({ sync: { from: "network", oldHost: other } }), "prod")).toBeUndefined();
  });

  test("is the old host's, from its own block or the orchestrator's", () => {
    const own = configOf({ sync: { from: "oldHost", oldHost: { ...other, copyAddress: "10.0.0.9", rpcPort: 1 } } });
    expect(createChainCopyArgs(own, "prod")).toMatchObject({
      copy: { address: "10.0.0.9", port: 22 },
      limitMbps: 0,
      identity: "pillar-host/prod Anvil",
      old: { node: { via: "ssh", address: "127.0.0.1", port: 1 }, service: "go-node" },
    });
    const migrateFrom = { ...other, dataDir: "/data", service: "old-orchestrator" };
    const signers = configOf({ sync: { from: "oldHost" }, orchestrator: { migrateFrom } });
    expect(createChainCopyArgs(signers, "prod")?.old).toMatchObject({
      service: "go-node",
      dataDir: "/data",
      host: { ssh: { address: "198.51.100.9" }, configured: "pillar-host:orchestrator.migrateFrom" },
    });
  });

  test("needs an old host", () => {
    expect(faultsOf({ sync: { from: "oldHost" } })).toEqual([
      "pillar-host:sync.oldHost: needed with sync.from: oldHost: the host whose chain is copied, or orchestrator.migrateFrom (pulumi config set --path pillar-host:sync.oldHost.address -s prod ADDRESS)",
    ]);
    expect(faultsOf({ sync: { from: "somebody" } })).toHaveLength(1);
  });
});
