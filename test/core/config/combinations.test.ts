import { describe, expect, test } from "vitest";
import { faultsOf, least } from "../../components/exampleConfig.ts";

const ownKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFGSBtGbUCwrGN7Gq8VzKQVWmBcQTTWqvSAZ8qkzNQVS";
const other = { address: "198.51.100.9", hostKey };
const url = "HTTP://a.example/c.zip";
const sshFrom = ["198.51.100.7/32"];
const hetzner = { provider: "hetzner", token: "a".repeat(64) };
const cloud = (changes: object, others: object = {}) => ({ host: { ...hetzner, sshFrom, ...changes }, ...others });
const references = (...urls: string[]) => ({ sync: { references: urls } });
const ssh = { user: "op", port: 2222, password: "x" };
const accepted = { image: "ubuntu-26.04", acceptDistributions: ["ubuntu-26.04"] };
const [firstMove, lostLine] = ["acknowledged", "0123456789ab"];
const release = { url: "https://r.example/n.zip", sha256: "a".repeat(64), version: "v0.0.10" };
const named = { provider: "existing", address: "pillar.example.org" };

/** Each combination with the keys at fault. */
test.each<[string, Record<string, unknown>, readonly string[]]>([
  ["a new server without a key", cloud({}), ["ssh.privateKeyFile"]],
  ["a new server for another login", cloud({}, { ssh }), ["ssh.privateKeyFile", "ssh.user", "ssh.port"]],
  ["a new server that nobody reaches", cloud({ sshFrom: [] }), ["host.sshFrom", "ssh.privateKeyFile"]],
  ["a new server's distribution", cloud({ image: "ubuntu-26.04" }), ["ssh.privateKeyFile", "host.image"]],
  ["a distribution that the operator accepts", cloud(accepted), ["ssh.privateKeyFile"]],
  ["a server's number on an active stack", cloud({ importId: 7 }), ["host.importId", "ssh.privateKeyFile"]],
  ["an adopted server without its number", cloud({}, { lifecycle: "adopted" }), ["host.importId"]],
  ["an adopted server", { lifecycle: "adopted", host: { ...hetzner, importId: 52 } }, []],
  ["a retired server", { lifecycle: "retiring", host: hetzner }, []],
  ["an active stack without a release", { controller: {} }, ["controller.release"]],
  ["an adopted host without a release", { lifecycle: "adopted", controller: undefined }, []],
  ["a release over http", { controller: { release: { url } } }, ["controller.release.sha256"]],
  ["a release over http with its hash", { controller: { release: { url, sha256: "a".repeat(64) } } }, []],
  ["a direct RPC of a named host", { host: named, node: { rpc: "direct" } }, ["node.rpcAddress"]],
  ["a direct RPC with its address", { host: named, node: { rpc: "direct", rpcAddress: "203.0.113.7" } }, []],
  ["a direct RPC of an address", { node: { rpc: "direct" } }, []],
  ["a named host", { host: named }, []],
  ["the old host's chain without an old host", { sync: { from: "oldHost" } }, ["oldHost"]],
  ["a move from nowhere", { orchestrator: { move: true } }, ["oldHost"]],
  ["a move", { oldHost: other, orchestrator: { move: true, rollback: true, restoreFrom: "/b", firstMove } }, []],
  [
    "what a move has left",
    { oldHost: other, orchestrator: { rollback: true, restoreFrom: "/b", firstMove, noKeyShare: 1, lostLine } },
    ["rollback", "restoreFrom", "firstMove", "lostLine", "noKeyShare"].map((key) => `orchestrator.${key}`),
  ],
  [
    "two places for backups",
    { store: "s3://bucket?region=eu-west-1", orchestrator: { backup: { directory: "/b" } } },
    ["store"],
  ],
  ["a rollback to nowhere", { orchestrator: { rollback: true } }, ["orchestrator.rollback"]],
  ["one service", { node: { service: "x" }, orchestrator: { service: "x.service" } }, ["orchestrator.service"]],
  ["the node's service by default", { node: { service: "orchestrator" } }, ["orchestrator.service"]],
  [
    "one service on the old host",
    { oldHost: { ...other, orchestrator: { service: "go-node.service" } } },
    ["oldHost.orchestrator.service"],
  ],
  [
    "the node's service on the old host",
    { oldHost: { ...other, service: "orchestrator" } },
    ["oldHost.orchestrator.service"],
  ],
  ["the RPC's port for peers", { node: { p2pPort: 35997, rpcPort: 35995 } }, ["node.p2pPort"]],
  ["one port for both RPCs", { node: { wsPort: 35997 } }, ["node.wsPort"]],
  ["one port for RPC and peers", { node: { p2pPort: 35997 } }, ["node.p2pPort"]],
  ["one port for both programs' peers", { orchestrator: { p2pPort: 35995 } }, ["orchestrator.p2pPort"]],
  [
    "the usual port of the RPC for the orchestrator's peers",
    { node: { wsPort: 4000 }, orchestrator: { p2pPort: 35998 } },
    ["orchestrator.p2pPort"],
  ],
  ["ssh's port for the node's RPC", { node: { rpcPort: 22 } }, ["node.rpcPort"]],
  [
    "ssh's port for the orchestrator's peers",
    { ssh: { ...least.ssh, port: 2222 }, orchestrator: { p2pPort: 2222 } },
    ["orchestrator.p2pPort"],
  ],
  ["other ports", { node: { rpcPort: 4001, wsPort: 4002, p2pPort: 4003 } }, []],
  ["no witness", { sync: { references: [] } }, ["sync.references"]],
  ["a reference", references("http://192.0.2.1:35997"), []],
  ["the old host as witness", { sync: { references: [] }, oldHost: other }, []],
  ["the typed word for the risk", { sync: { unverifiedChain: "acknowledged" } }, []],
  ["no witness, without a node", { lifecycle: "adopted", sync: { references: [] } }, []],
  ["no witness, upgraded", { lifecycle: "adopted", node: { release }, sync: { references: [] } }, ["sync.references"]],
  ["no witness, retiring", { lifecycle: "retiring", node: { release }, sync: { references: [] } }, []],
  ["two ports of one node", references("http://192.0.2.1:35997", "http://192.0.2.1:35998"), []],
  ["two nodes", references("https://a.example.org", "https://b.example.org"), []],
])("checks how keys fit together: %s", (_, changes, keys) => {
  expect(faultsOf(changes).map((fault) => fault.slice("pillar-host:".length).split(": ")[0])).toEqual(keys);
});

test.each([
  ["http://192.0.2.1:35997", "http://192.0.2.1:35997"],
  ["http://192.0.2.1:35997", "http://192.0.2.1:35997/"],
  ["http://192.0.2.1:35997", "http://[::ffff:192.0.2.1]:35997"],
  ["https://Node.example.org", "https://node.example.org:443/rpc"],
  ["http://node.example.org:80", "http://NODE.example.org./"],
  ["http://[2001:db8::1]:35997", "http://[2001:0db8:0::1]:35997"],
])("counts %s and %s as one node", (one, another) => {
  const fault = "pillar-host:sync.references.1: is the node of another reference: needed independent nodes";
  expect(faultsOf(references(one, another))).toEqual([fault]);
});

test.each([
  ["203.0.113.7", "http://203.0.113.7:35997"],
  ["203.0.113.7", "http://[::ffff:203.0.113.7]:80"],
  ["Pillar.example.org", "https://pillar.example.org:1"],
])("refuses the host %s as its own witness %s", (address, url) => {
  expect(faultsOf({ host: { ...least.host, address }, ...references(url) })).toEqual([
    "pillar-host:sync.references.0: is this stack's own host: needed a node that is independent of it",
  ]);
});

describe("one machine under two names", () => {
  const blocks = {
    oldHost: (oldHost: object) => ({ oldHost }),
    "retirement.successor": (successor: object) => ({ retirement: { successor } }),
  };
  const local = { address: "localhost", hostKey: `localhost ${ownKey} me` };
  const same = [
    [{ address: "203.0.113.7" }, { address: "203.0.113.7", hostKey }],
    [{ address: "Web.example" }, { address: "web.EXAMPLE", hostKey }],
    [{ address: "2001:db8::9" }, { address: "2001:DB8:0:0::9", hostKey }],
    [{ address: "203.0.113.7", hostKey: ownKey }, local],
  ] as const;
  test.each(Object.entries(blocks).flatMap(([block, make]) => same.map(([own, twin]) => ({ block, make, own, twin }))))(
    "is refused in $block: $twin.address",
    ({ block, make, own, twin }) => {
      expect(faultsOf({ host: { ...least.host, ...own }, ...make(twin) })).toEqual([
        `pillar-host:${block}: is this stack's own host, by its address or hostKey: needed another host`,
      ]);
    },
  );

  test("is refused for a cloud's server, too, by its key", () => {
    const host = { ...hetzner, importId: 7, hostKey };
    expect(faultsOf({ lifecycle: "adopted", host, oldHost: other })).toHaveLength(1);
  });
});
