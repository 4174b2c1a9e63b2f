import { expect, test } from "vitest";
import type { CloudConfig } from "../../../core/cloud/cloud.ts";
import { anywhere, listOpenings, warnOfOpenSsh } from "../../../core/cloud/firewall.ts";
import { configOf } from "../../components/exampleConfig.ts";
import { keyPair } from "../chain/fakes.ts";

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

test.each([
  [["198.51.100.0/24", "0.0.0.0/0"], true],
  [["::/0"], true],
  [["0.0.0.0/1", "128.0.0.0/1"], true],
  [["0.0.0.0/2", "64.0.0.0/3", "0.0.0.0/3"], true],
  [["2000::/3"], true],
  [["198.51.100.7/32", "2001:db8::/32"], false],
  [["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "10.1.0.0/16"], false],
  [Array<string>(40).fill("10.0.0.0/8"), false],
  [[], false],
])("warns of networks that include everybody: %j", (sshFrom, isWarned) => {
  const lets = `pillar-host:host.sshFrom: ${sshFrom.join(", ")} lets everybody try to log in with ssh (a key is needed)`;
  expect(warnOfOpenSsh(sshFrom)).toEqual(isWarned ? [lets] : []);
});
