import { expect, test } from "vitest";
import type { CloudConfig } from "../../../core/cloud/cloud";
import { anywhere, listOpenings, warnOfOpenSsh } from "../../../core/cloud/firewall";
import { configOf } from "../../components/exampleConfig";
import { keyPair } from "../chain/fakes";

test("opens ssh to the named networks, the node's port to everybody, the orchestrator's port if there is one, and nothing else", () => {
  const host = { provider: "hetzner", token: "t".repeat(64), sshFrom: ["198.51.100.7/32"] };
  const ssh = { privateKey: keyPair("").private };
  const listFor = (hasOrchestrator: boolean, orchestrator = {}) =>
    listOpenings(configOf({ host, ssh, node: { p2pPort: 4000 }, orchestrator }) as CloudConfig, hasOrchestrator);
  const always = [
    { protocol: "tcp", port: 22, sources: ["198.51.100.7/32"] },
    { protocol: "tcp", port: 4000, sources: anywhere },
    { protocol: "udp", port: 4000, sources: anywhere },
  ];
  const p2p = { protocol: "tcp", port: 55055, sources: anywhere };
  expect(listFor(false)).toEqual(always);
  expect(listFor(true)).toEqual([...always, p2p]);
  const asked = { rpcFrom: ["192.0.2.0/24"], rpcPort: 5000 };
  expect(listFor(true, asked)).toEqual([...always, p2p, { protocol: "tcp", port: 5000, sources: asked.rpcFrom }]);
  expect(listFor(false, asked)).toEqual(always);
});

test("warns of a network that includes everybody", () => {
  expect(warnOfOpenSsh(["198.51.100.0/24", "0.0.0.0/0", "::/0"])).toEqual(
    ["0.0.0.0/0", "::/0"].map(
      (all) => `pillar-host:host.sshFrom: ${all} lets everybody try to log in with ssh (a key is needed)`,
    ),
  );
});
