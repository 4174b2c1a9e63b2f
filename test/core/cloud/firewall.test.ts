import { expect, test } from "vitest";
import { listOpenings, warnOfOpenSsh } from "../../../core/cloud/firewall";
import { configOf } from "../../components/exampleConfig";

const anywhere = ["0.0.0.0/0", "::/0"];

test("opens ssh to the named networks, the node's port to everybody, the orchestrator's port if there is one, and nothing else", () => {
  const config = configOf({ node: { p2pPort: 4000 } });
  const always = [
    { protocol: "tcp", port: 22, sources: ["198.51.100.7/32"] },
    { protocol: "tcp", port: 4000, sources: anywhere },
    { protocol: "udp", port: 4000, sources: anywhere },
  ];
  const openingsWith = (hasOrchestrator: boolean) =>
    listOpenings(config, { sshFrom: ["198.51.100.7/32"], hasOrchestrator });
  expect(openingsWith(false)).toEqual(always);
  expect(openingsWith(true)).toEqual([...always, { protocol: "tcp", port: 55055, sources: anywhere }]);
  const rpcFrom = ["192.0.2.0/24"];
  const asked = configOf({ node: { p2pPort: 4000 }, orchestrator: { rpcFrom, rpcPort: 5000 } });
  const needs = { sshFrom: ["198.51.100.7/32"], hasOrchestrator: true };
  expect(listOpenings(asked, needs)).toEqual([
    ...always,
    { protocol: "tcp", port: 55055, sources: anywhere },
    { protocol: "tcp", port: 5000, sources: rpcFrom },
  ]);
  expect(listOpenings(asked, { ...needs, hasOrchestrator: false })).toEqual(always);
});

test("warns of a network that includes everybody", () => {
  expect(warnOfOpenSsh(["198.51.100.0/24", "0.0.0.0/0", "::/0"])).toEqual(
    ["0.0.0.0/0", "::/0"].map(
      (all) => `pillar-host:host.sshFrom: ${all} lets everybody try to log in with ssh (a key is needed)`,
    ),
  );
});
