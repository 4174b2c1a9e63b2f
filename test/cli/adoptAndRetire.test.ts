import { expect, test } from "vitest";
import { createAdoptedSettings } from "../../cli/edit/adoptHost";
import { createSuccessorSettings, findRetirementProblem } from "../../cli/edit/retireHost";
import { parseHostOutput } from "../../cli/pulumi/stackState";
import { configOf } from "../components/exampleConfig";

const hostKey = "ssh-ed25519 AAAA";
const proxyKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const host = { address: "203.0.113.7", hostKey };
const given = (settings: object) => JSON.parse(JSON.stringify(settings)) as object;

test("writes only address and key of an adopted host if nothing else is configured", () => {
  expect(given(createAdoptedSettings(configOf(), "198.51.100.9", hostKey))).toEqual({
    "host.provider": "existing",
    "host.address": "198.51.100.9",
    "host.hostKey": hostKey,
    lifecycle: "adopted",
  });
});

test("writes the successor from its stack's outputs, and only a login that differs", () => {
  const after = configOf({ ssh: { password: "x", user: "op", port: 2222 } });
  expect(given(createSuccessorSettings(configOf(), after, host))).toEqual({
    "retirement.successor.address": host.address,
    "retirement.successor.hostKey": hostKey,
    "retirement.successor.user": "op",
    "retirement.successor.port": 2222,
    lifecycle: "retiring",
  });
  expect(given(createSuccessorSettings(configOf(), configOf(), host))).not.toHaveProperty("retirement.successor.user");
});

test("copies a proxy to the successor's block, and from the move's block to the adopted host's login", () => {
  const proxy = { address: "192.0.2.1", hostKey: proxyKey, port: 2200 };
  const settings = given(createSuccessorSettings(configOf(), configOf({ ssh: { password: "x", proxy } }), host));
  expect(settings).toMatchObject({ "retirement.successor.proxy.address": "192.0.2.1" });
  expect(settings).toMatchObject({ "retirement.successor.proxy.port": 2200 });
  const migrateFrom = { address: "198.51.100.9", hostKey: proxyKey, proxy, firstMove: "acknowledged" };
  const config = configOf({
    orchestrator: {
      migrateFrom,
      release: { url: "https://example.org/v1.0.0.zip", version: "v1.0.0", sha256: "ab".repeat(32) },
    },
  });
  expect(given(createAdoptedSettings(config, "198.51.100.9", hostKey))).toMatchObject({
    "ssh.proxy.address": "192.0.2.1",
  });
  expect(given(createAdoptedSettings(config, "198.51.100.8", hostKey))).not.toHaveProperty("ssh.proxy.address");
});

test("refuses contradictory stacks before anything is written", () => {
  const old = { ...configOf(), host: { ...configOf().host, provider: "existing" as const, address: "198.51.100.9" } };
  const after = configOf();
  const fault = (changes: { address?: string; pillar?: string; lifecycle?: "active" | "retiring" }) =>
    findRetirementProblem(
      { name: "prod", config: old },
      {
        name: "prod-2",
        config: { pillar: { name: changes.pillar ?? after.pillar.name }, lifecycle: changes.lifecycle ?? "active" },
        host: { address: changes.address ?? host.address, hostKey },
      },
    );
  expect(fault({})).toBeUndefined();
  expect(fault({ address: "198.51.100.9" })).toContain("are the same host, 198.51.100.9: nothing was changed");
  const known = { ...old, host: { ...old.host, hostKey } };
  const named = { address: "web.example", hostKey };
  const next = { name: "prod-2", config: after, host: named };
  expect(findRetirementProblem({ name: "prod", config: known }, next)).toContain(
    "are the same host, web.example: nothing",
  );
  expect(fault({ pillar: "Bolt" })).toContain("needed: give --successor a stack of the same Pillar");
  expect(fault({ lifecycle: "retiring" })).toContain("check whether the two stacks are swapped");
});

test("reads another stack's host once a run has output address and key", () => {
  const exported = (outputs: unknown) =>
    JSON.stringify({ deployment: { resources: [{ type: "pulumi:pulumi:Stack", urn: "", outputs }] } });
  expect(parseHostOutput(exported({ host }))).toEqual(host);
  expect(parseHostOutput(exported({ host: { address: host.address } }))).toBeUndefined();
  expect(parseHostOutput(JSON.stringify({ deployment: {} }))).toBeUndefined();
});
