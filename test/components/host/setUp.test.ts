import { expect, test } from "vitest";
import { formatLostSetUp, isSetUpLost } from "../../../components/host/setUp.ts";
import { configOf } from "../exampleConfig.ts";

const whole = ["deploy.done", "deploy.started", "packages.done", "stack", "unit"];

test.each([
  ["a host that was set up", true, whole, false],
  ["a blank disk", true, [], true],
  ["a disk of before the deploy", true, ["packages.done", "stack"], true],
  ["a node that runs without its markers", true, ["unit"], false],
  ["a disk of after the deploy, without a unit", true, ["deploy.done", "stack"], false],
  ["a blank disk, of a stack that never was complete", false, [], true],
  ["a node of somebody else's, of a stack that never was complete", false, ["unit"], true],
  ["a prepared host, of a stack that never was complete", false, ["stack"], false],
])("recognizes %s", (_what, wasSetUp, found, isLost) => {
  const marks = Object.fromEntries(found.filter((name) => name !== "unit").map((name) => [name, "2026"]));
  expect(isSetUpLost({ marks, hasUnit: found.includes("unit") }, wasSetUp)).toBe(isLost);
});

test("says what is lost with the disk: the registered address earns nothing, and no orchestrator signs", () => {
  const [ours, earlier] = ["z1qours", "z1qearlier"];
  const shown = { side: "new", address: "203.0.113.7", why: "moved", attempt: 1, rpcPort: 55000 };
  const registration = { state: "producing", registered: true, earlier } as const;
  const last = { finished: true, producerAddress: ours, registration, orchestrator: shown };
  expect(formatLostSetUp("203.0.113.7", configOf(), last)).toBe(`203.0.113.7: this host is not the one that was set up
  found: neither /var/lib/pillar-host/deploy.done nor the unit go-node, and the same host key: its disk was set back or installed anew
  This run sets it up again. Its node gets a new producer key: the key before was on the lost disk.
  Anvil was registered with the lost key's address (z1qours), and earns nothing until another one is registered.
  The way back, while the old host runs: in the wallet, Update Pillar Anvil, producer address: z1qearlier
  Its orchestrator was on the lost disk, too, and signs nowhere: docs/orchestrator.md, A host whose disk was set back.
  Was another disk meant? Put that disk back, then run the same command again.`);
});

test("names no address that was not registered", () => {
  const registration = { state: "earlier", registered: false } as const;
  const text = formatLostSetUp("203.0.113.7", configOf(), { finished: true, producerAddress: "z1qours", registration });
  expect(text).not.toContain("z1q");
  expect(text).not.toContain("orchestrator");
});
