import { describe, expect, test } from "vitest";
import { parseConfig } from "../../../core/config/config";
import { createWitnessSources } from "../../../core/sync/gateSettings";
import { configOf, least } from "../../components/exampleConfig";

const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const oldKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8zWlQBrYTQw5rLvxVNWYKmKTYCy1Wq4VJv0e7a9rQb";
const oldHost = { address: "198.51.100.9", hostKey: oldKey };
const host = { provider: "existing", address: "203.0.113.7", hostKey };

/** Returns the faults of the smallest configuration with these keys, each up to its remedy; nothing is acknowledged. */
function faults(changes: Record<string, unknown>): string[] {
  const parsed = parseConfig({ ...least, host, sync: {}, ...changes }, "prod");
  return "faults" in parsed ? parsed.faults.map((fault) => fault.replace(/^pillar-host:|[:.](?= .*|$).*/g, "")) : [];
}
const references = (...urls: string[]) => ({ sync: { references: urls } });

describe("requires a possible witness for an active stack", () => {
  test.each<[string, Record<string, unknown>]>([
    ["a reference", references("http://192.0.2.1:35997")],
    ["the old host", { sync: { oldHost } }],
    ["the host that the orchestrator comes from", { orchestrator: { migrateFrom: oldHost } }],
    ["the typed word for the risk", { sync: { unverifiedChain: "acknowledged" } }],
    ["no new node", { lifecycle: "adopted" }],
  ])("accepts %s", (_, changes) => {
    expect(faults(changes)).toEqual([]);
  });

  test("accepts no other word", () => {
    expect(faults({ sync: { unverifiedChain: true } })[0]).toBe("sync.unverifiedChain");
    expect(faults({ sync: { unverifiedChain: "yes" } })[0]).toBe("sync.unverifiedChain");
  });
});

describe("counts one node once, and the host itself not at all", () => {
  test.each([
    ["http://192.0.2.1:35997", "http://192.0.2.1:35997"],
    ["http://192.0.2.1:35997", "http://192.0.2.1:35997/"],
    ["http://192.0.2.1:35997", "http://[::ffff:192.0.2.1]:35997"],
    ["https://Node.example.org", "https://node.example.org:443/rpc"],
    ["http://node.example.org:80", "http://NODE.example.org./"],
    ["http://[2001:db8::1]:35997", "http://[2001:0db8:0::1]:35997"],
  ])("counts %s and %s as one", (one, other) => {
    expect(faults(references(one, other))).toEqual(["sync.references.1"]);
  });

  test.each([
    ["http://192.0.2.1:35997", "http://192.0.2.1:35998"],
    ["https://a.example.org", "https://b.example.org"],
  ])("counts %s and %s as two", (one, other) => {
    expect(faults(references(one, other))).toEqual([]);
  });

  test.each([
    ["203.0.113.7", "http://203.0.113.7:35997"],
    ["203.0.113.7", "http://[::ffff:203.0.113.7]:80"],
    ["Pillar.example.org", "https://pillar.example.org:1"],
  ])("refuses the host %s as reference %s", (address, url) => {
    expect(faults({ host: { ...host, address }, ...references(url) })).toEqual(["sync.references.0"]);
  });
});

describe("the witnesses of a lookup", () => {
  test("are the old host with its login and port, from sync first, else from orchestrator", () => {
    const from = { ...oldHost, user: "op", password: "hunter2" };
    const migrateFrom = { ...oldHost, address: "198.51.100.8" };
    const both = configOf({ sync: { oldHost: { ...from, rpcPort: 4 } }, orchestrator: { migrateFrom } });
    expect(createWitnessSources(both)).toMatchObject({
      witnessHost: { ssh: { address: "198.51.100.9", user: "op", password: "hunter2" }, via: "ssh", port: 4 },
    });
    expect(createWitnessSources(both)).not.toHaveProperty("isChainUnverified");
    const signer = parseConfig({ ...least, sync: {}, orchestrator: { migrateFrom } }, "prod");
    if ("faults" in signer) throw new Error(signer.faults.join());
    expect(createWitnessSources(signer.config)).toMatchObject({
      witnessHost: { ssh: { address: "198.51.100.8" }, port: 35997 },
    });
  });

  test("are not required if acknowledged, or if no node is set up", () => {
    expect(createWitnessSources(configOf())).toMatchObject({ isChainUnverified: true });
    expect(createWitnessSources(configOf({ lifecycle: "adopted" }))).toMatchObject({ isChainUnverified: true });
  });
});
