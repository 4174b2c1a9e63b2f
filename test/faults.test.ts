import { expect, it } from "vitest";
import { faultHelp } from "../lab/commands/fault.ts";
import { defaultNodeSettings, type NodeSettingsPatch } from "../lab/doubles/chain/index.ts";
import { Sync } from "../lab/doubles/node/sync.ts";
import { fillDisk } from "../lab/faults/hostScripts.ts";
import { faultName, faultNames, faults } from "../lab/faults/index.ts";
import { type FaultKind, height, milliseconds, oneOf } from "../lab/faults/kind.ts";
import { addRule } from "../lab/faults/networkFaults.ts";
import { healed, type NodeFault, nodeFaults } from "../lab/faults/nodeFaults.ts";
import { createHostNetwork } from "../lab/hosts/network.ts";

it("faults all exist, each with a line of help", () => {
  expect(faultNames.length).toBeGreaterThan(15);
  const lines = faultHelp().split("\n");
  for (const name of faultNames) {
    const { does }: FaultKind = faults[name];
    expect(lines.filter((line) => line.startsWith(`  ${name} `) && line.includes(does))).toHaveLength(1);
  }
});

it("faults are found by their whole name only; another name is refused with the list", () => {
  expect(faultName("full-disk")).toBe("full-disk");
  expect(() => faultName("fulldisk")).toThrow(/^there is no fault fulldisk\n {2}faults: /);
});

it("faults refuse an invalid value", () => {
  expect([milliseconds("20s"), milliseconds("500ms"), height("7")]).toEqual([20_000, 500, 7]);
  expect(() => milliseconds("20")).toThrow("found 20, needed a duration such as 20s");
  expect(() => height("-1")).toThrow("found -1, needed a height");
  expect(() => oneOf("x", "once", "silent")).toThrow("found x, needed once or silent");
});

it.each(Object.entries(nodeFaults))(
  "a node's fault is on with its settings, and its defaults heal it: %s",
  (_, fault) => {
    const { settings, isOn, value }: NodeFault = fault;
    const given = value?.form === "DURATION" ? "2s" : "";
    const on = { ...defaultNodeSettings, ...settings(given, 900, 1000) } as typeof defaultNodeSettings;
    expect([isOn(on), isOn(defaultNodeSettings)]).toEqual([true, false]);
    expect({ ...on, ...healed(fault) }).toEqual(defaultNodeSettings);
  },
);

it("a node's faults differ: a flap is not also a stale target", () => {
  const flapping = { ...defaultNodeSettings, flapMs: 1, staleTarget: 1 };
  const on = Object.entries(nodeFaults).filter(([, fault]: [string, NodeFault]) => fault.isOn(flapping));
  expect(on.map(([name]) => name)).toEqual(["flap"]);
});

const infoWith = (seconds: number, settings: NodeSettingsPatch) => {
  const given = { ...defaultNodeSettings, rate: 0, ...settings } as typeof defaultNodeSettings;
  const network = { now: 0, height: 1000, momentumSeconds: 10, chainId: "lab" };
  const sync = new Sync(900, 0);
  sync.advance(seconds * 1000, given, network);
  const { state, targetHeight } = sync.info(seconds * 1000, given, network);
  return [state, targetHeight];
};

it.each([
  ["says 2 at a stale target", 10, { staleTarget: 900 }, [2, 900]],
  ["says 1 below one", 10, { staleTarget: 950 }, [1, 950]],
  ["says 2 while it flaps", 10, { staleTarget: 900, flapMs: 5000 }, [2, 900]],
  ["says 1, its target renewed, a period later", 15, { staleTarget: 900, flapMs: 5000 }, [1, 1000]],
  ["believes a lying peer: 1 where it claims more", 10, { forceTarget: 5000 }, [1, 5000]],
  ["and 2 where it claims less", 10, { forceTarget: 10 }, [2, 10]],
] as const)("the node double, behind at 900 of 1000 %s", (_does, seconds, settings, expected) =>
  expect(infoWith(seconds, settings)).toEqual(expected),
);

it("a host's faults fill a file system of their own, never the machine's", () => {
  expect(fillDisk.indexOf("mount -t tmpfs")).toBeLessThan(fillDisk.indexOf("/dev/zero"));
  expect(fillDisk).toContain('[ "$size" -lt 65536 ]');
});

it("a host's faults bend routes inside a namespace of the lab only", () => {
  const [flag, place] = addRule({ namespace: "pillar-demo-host1", priority: "7701" }, ["sport", "22", "blackhole"]);
  expect([flag, place]).toEqual(["-n", "pillar-demo-host1"]);
});

it("no command of a host's network touches the machine's own namespace", () => {
  const commands = createHostNetwork("demo", "host2", 1).map((command) => command.join(" "));
  expect(commands.length).toBeGreaterThan(5);
  expect(commands.filter((each) => !/^(netns add pillar-demo-host2$|-n pillar-demo(-host2)? )/.test(each))).toEqual([]);
});
