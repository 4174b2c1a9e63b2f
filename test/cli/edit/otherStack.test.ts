import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createAdoptedSettings, listReplacedKeys } from "../../../cli/edit/adoptHost.ts";
import { findContradiction, listOwnSecrets } from "../../../cli/edit/otherStack.ts";
import { createSuccessorSettings } from "../../../cli/edit/retireHost.ts";
import { configOf, least } from "../../components/exampleConfig.ts";
import { keyPair } from "../../core/chain/fakes.ts";
import { scratchDirectory } from "../../scratchDirectory.ts";
import { printConfig, runTool } from "../fakePulumi.ts";

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
  const withAgent = configOf({ ssh: { password: "x", proxy: { ...proxy, agent: true } } });
  expect(createSuccessorSettings(configOf(), withAgent, host)["retirement.successor.proxy.agent"]).toBe("true");
  expect(listOwnSecrets(viaProxy.ssh, configOf().ssh)).toContain("proxy.password");
  expect(listOwnSecrets(viaProxy.ssh, viaProxy.ssh)).toEqual([]);
  const withFile = { ...proxy, password: undefined, privateKeyFile: keyFile("jump") };
  expect(
    listOwnSecrets(configOf({ ssh: { password: "x", proxy: withFile } }).ssh, configOf({ ssh: { password: "x" } }).ssh),
  ).toEqual([]);
});

const place = scratchDirectory();
const keyFile = (name: string) => {
  const file = join(place(), name);
  writeFileSync(file, keyPair().private, { mode: 0o600 });
  return file;
};

test("copies another host's key file and agent, unless both hosts have the same way to log in", () => {
  const [one, two] = [{ privateKeyFile: keyFile("one") }, { privateKeyFile: keyFile("two") }];
  const write = (ssh: object, own: object) => {
    const settings = createSuccessorSettings(configOf({ ssh: own }), configOf({ ssh }), host);
    return [settings["retirement.successor.privateKeyFile"], settings["retirement.successor.agent"]];
  };
  expect(write(two, one)).toEqual([two.privateKeyFile, undefined]);
  expect(write(two, two)).toEqual([undefined, undefined]);
  expect(write({ agent: true }, one)).toEqual([undefined, "true"]);
  // With an agent of its own, the block has no key of the stack's.
  expect(write({ ...one, agent: true }, one)).toEqual([one.privateKeyFile, "true"]);
  expect(listOwnSecrets(configOf({ ssh: { ...two, password: "x" } }).ssh, configOf().ssh)).toEqual(["password"]);
  const both = { password: "x", privateKey: keyPair().private };
  expect(listOwnSecrets(configOf({ ssh: both }).ssh, configOf({ ssh: { password: "x" } }).ssh)).toEqual([
    "privateKey",
    "password",
  ]);
});

test("retire names each secret of the successor's login, and drops the block of another successor", async () => {
  const retirement = { successor: { address: "192.0.2.50", hostKey: proxyKey } };
  const after = { ...least, host: { ...least.host, address: "198.51.100.9" }, ssh: { password: "other" }, retirement };
  const resources = [{ type: "pulumi:pulumi:Stack", urn: "urn", outputs: { __run: { host } } }];
  const calls = join(place(), "calls");
  const script = `echo "$*" >> ${calls}; case "$*" in
    "config --json"*"-s prod-2 "*) echo '${printConfig(least)}' ;;
    "config --json"*) echo '${printConfig(after)}' ;;
    "stack export"*) echo '${JSON.stringify({ deployment: { resources } })}' ;;
  esac`;
  const { all } = await runTool(place(), script, ["retire", "prod-1", "--successor", "prod-2", "--no-up"]);
  expect(readFileSync(calls, "utf8")).toMatch(
    /^config rm-all --path pillar-host:retirement.successor .*\nconfig set-all/m,
  );
  expect(all).toContain(
    "login secret password differs from this host's. Set it: pulumi config set --secret --path pillar-host:retirement.successor.password -s prod-1\n",
  );
});

test("removes the copied login where an adopted host has its own, and how this program reaches the node", () => {
  const address = "198.51.100.9";
  const replaced = (login: object, reached: object = {}) =>
    listReplacedKeys(configOf({ oldHost: { address, hostKey: proxyKey, ...login } }), { address, hostKey, ...reached });
  expect(replaced({})).toContain("node.rpc");
  expect(replaced({}).filter((key) => key.startsWith("ssh."))).toEqual([]);
  const own = ["ssh.agent", "ssh.privateKeyFile", "ssh.privateKey", "ssh.privateKeyPassword", "ssh.password"];
  for (const login of [{ privateKeyFile: keyFile("own") }, { agent: true }, { password: "x" }])
    expect(replaced(login).filter((key) => key.startsWith("ssh."))).toEqual(own);
  expect(replaced({ proxy })).toContain("ssh.proxy");
  expect(replaced({ user: "op" })).toContain("ssh.sudoPassword");
  const config = configOf({ oldHost: { address, hostKey: proxyKey, agent: true } });
  expect(createAdoptedSettings(config, { address, hostKey })["ssh.agent"]).toBe("true");
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
