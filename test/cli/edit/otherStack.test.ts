import { expect, test } from "vitest";
import { createAdoptedSettings } from "../../../cli/edit/adoptHost.ts";
import { findContradiction, listOwnSecrets } from "../../../cli/edit/otherStack.ts";
import { createSuccessorSettings } from "../../../cli/edit/retireHost.ts";
import { configOf } from "../../components/exampleConfig.ts";

const hostKey = "ssh-ed25519 AAAA";
const proxyKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const host = { address: "203.0.113.7", hostKey };
const proxy = { address: "192.0.2.1", hostKey: proxyKey, port: 2200, user: "jump", password: "p" };
const viaProxy = configOf({ ssh: { password: "x", proxy } });
const written = (settings: object) => JSON.parse(JSON.stringify(settings)) as object;

test("writes only address and key of an adopted host if nothing else is configured", () => {
  expect(written(createAdoptedSettings(configOf(), { address: "198.51.100.9", hostKey }))).toEqual({
    "host.provider": "existing",
    "host.address": "198.51.100.9",
    "host.hostKey": hostKey,
    lifecycle: "adopted",
  });
});

test("writes the successor from its stack's outputs, and only a login and names that differ", () => {
  const after = configOf({
    ssh: { password: "x", user: "op", port: 2222 },
    node: { service: "znnd", rpcAddress: "10.0.0.2" },
    orchestrator: { service: "signer", directory: "/srv/.orchestrator", executable: "tss" },
  });
  const successor = { "retirement.successor.address": host.address, "retirement.successor.hostKey": hostKey };
  const usual = { ...successor, lifecycle: "retiring" };
  const login = { "retirement.successor.user": "op", "retirement.successor.port": 2222 };
  const own = {
    ...login,
    "retirement.successor.service": "znnd",
    "retirement.successor.rpcAddress": "10.0.0.2",
    "retirement.successor.orchestrator.service": "signer",
    "retirement.successor.orchestrator.directory": "/srv/.orchestrator",
    "retirement.successor.orchestrator.executable": "tss",
  };
  expect(written(createSuccessorSettings(configOf(), after, host))).toEqual({ ...usual, ...own });
  expect(written(createSuccessorSettings(configOf(), configOf(), host))).toEqual(usual);
});

test("copies another host's proxy without secrets, unless both hosts have the same", () => {
  const settings = written(createSuccessorSettings(configOf(), viaProxy, host));
  expect(settings).toMatchObject({
    "retirement.successor.proxy.address": "192.0.2.1",
    "retirement.successor.proxy.port": 2200,
    "retirement.successor.proxy.user": "jump",
  });
  expect(JSON.stringify(settings)).not.toContain("password");
  expect(JSON.stringify(createSuccessorSettings(viaProxy, viaProxy, host))).not.toContain("proxy");
  expect(listOwnSecrets(viaProxy.ssh, configOf().ssh)).toContain("proxy.password");
  expect(listOwnSecrets(viaProxy.ssh, viaProxy.ssh)).toEqual([]);
});

test("takes an adopted host's login and names from the old host's block, if that is of this host", () => {
  const release = { url: "https://example.org/v1.0.0.zip", version: "v1.0.0", sha256: "ab".repeat(32) };
  const node = { service: "znnd", dataDir: "/data/znn", rpcAddress: "10.0.0.1", rpcPort: 4000 };
  const names = { ...node, orchestrator: { service: "signer" } };
  const oldHost = { address: "198.51.100.9", hostKey: proxyKey, user: "op", proxy, ...names };
  const config = configOf({ oldHost, orchestrator: { move: true, firstMove: "acknowledged", release } });
  const adopted = (address: string) => written(createAdoptedSettings(config, { address, hostKey }));
  expect(adopted("198.51.100.9")).toMatchObject({
    "ssh.user": "op",
    "ssh.proxy.address": "192.0.2.1",
    "node.service": "znnd",
    "node.dataDir": "/data/znn",
    "node.rpcAddress": "10.0.0.1",
    "node.rpcPort": 4000,
    "orchestrator.service": "signer",
  });
  expect(adopted("198.51.100.8")).not.toHaveProperty("ssh.proxy.address");
});

test("finds two stacks of one host, or of two Pillars", () => {
  const { pillar } = configOf();
  const own = { provider: "existing" as const, address: "198.51.100.9" };
  const find = (changes: { address?: string; name?: string }, key?: string) =>
    findContradiction({ ...configOf(), host: { ...configOf().host, ...own, hostKey: key } } as never, {
      pillar: { name: changes.name ?? pillar.name },
      host: { address: changes.address ?? host.address, hostKey },
    });
  expect(find({})).toBeUndefined();
  expect(find({ name: "Bolt" })).toBe(`of Pillar Bolt, not ${pillar.name}`);
  expect(find({ address: "198.51.100.9" })).toBe("the stack of the same host, 198.51.100.9");
  expect(find({ address: "web.example" }, hostKey)).toBe("the stack of the same host, web.example");
});
