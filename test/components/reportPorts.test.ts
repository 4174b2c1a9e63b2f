import * as pulumi from "@pulumi/pulumi";
import { afterEach, expect, test, vi } from "vitest";
import { reportPorts } from "../../components/node/reportPorts";
import type { PortState, tryPorts } from "../../core/ssh/portRules";
import { createKeyPair } from "../../providers/hostKey";
import { configOf } from "./exampleConfig";

afterEach(() => vi.restoreAllMocks());

/** Returns the warnings if the node's RPC is found like this; undefined: no port was tried. */
async function warned(seen: PortState, changes: Record<string, unknown> = {}) {
  const warn = vi.spyOn(pulumi.log, "warn").mockResolvedValue();
  const tried: string[] = [];
  const look: typeof tryPorts = async (address, rules) => {
    tried.push(address);
    return rules.map((rule) => ({ ...rule, seen: rule.port === 35997 ? seen : "unknown" }));
  };
  const told = reportPorts(configOf(changes), undefined, pulumi.output("deployed"), look);
  await new Promise((resolve) => told.apply(resolve));
  return { tried, warnings: warn.mock.calls.map(([message]) => message.split("\n").slice(0, 2)) };
}

test("warns only about a wrongly open port of an existing server, once its node is deployed", async () => {
  const { tried, warnings } = await warned("open");
  expect(tried).toEqual(["203.0.113.7"]);
  const first = "ports of 203.0.113.7 are wrongly open or closed to this machine:";
  const second = "  35997/tcp, the node's RPC, is open to this machine; needed: closed to everybody";
  expect(warnings).toEqual([[first, second]]);
  vi.restoreAllMocks();
  expect((await warned("filtered")).warnings).toEqual([]);
});

test("tries no port of a cloud server, whose firewall the program sets", async () => {
  const host = { provider: "hetzner", token: "a".repeat(64), sshFrom: ["198.51.100.7/32"] };
  const ssh = { privateKey: createKeyPair().privateKey };
  expect(await warned("open", { host, ssh })).toEqual({ tried: [], warnings: [] });
});
