import type * as pulumi from "@pulumi/pulumi";
import { beforeAll, describe, expect, test } from "vitest";
import { registerExistingHost } from "../../components/host/registerHost.ts";
import { PillarNode } from "../../components/node/pillarNode.ts";
import { createNodeTarget } from "../../core/chain/configuredNode.ts";
import type { StackConfig } from "../../core/config/config.ts";
import type { ExistingHostConfig } from "../../core/config/hostSchema.ts";
import { openEventLog, readStackEvents } from "../../core/eventLog/eventLog.ts";
import { createGateSettings } from "../../core/sync/gateSettings.ts";
import { formatGateUrn, providerNames } from "../../core/util/resourceTypes.ts";
import { keyPair } from "../core/chain/fakes.ts";
import { scratchDirectory } from "../scratchDirectory.ts";
import { configOf, least } from "./exampleConfig.ts";
import { concealed, type Registered, registeredBy, revealed } from "./fakeEngine.ts";

const oldKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFGSBtGbUCwrGN7Gq8VzKQVWmBcQTTWqvSAZ8qkzNQVS";
const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const privateKey = `${keyPair("hunter2-phrase").private.trim()}\n`;
const address = "z1qqjnwjjpnue8xmmpanz6csze6tcmtzzdtfsww7";
const command = "command:remote:Command";
const firstContact = "pulumi-nodejs:host:Contact";
const hostSetUp = "pulumi-nodejs:host:SetUp";
const hostGuard = "pulumi-nodejs:host:Guard";
const gate = "pulumi-nodejs:sync:Gate";
const steps = "preflight prepare packages controller hourly-restart deploy sync hourly-restart-off producer-address";
const order = steps.split(" ").map((step) => `node-${step}`);

const secrets = { privateKey, privateKeyPassword: "hunter2-phrase", password: "hunter2-login" };
const pinned = configOf({
  host: { ...least.host, hostKey },
  notify: "https://ntfy.example/hunter2-topic",
  ssh: { user: "op", port: 2222, ...secrets, sudoPassword: "hunter2-sudo" },
});

let pillar: PillarNode;

function standUp(config: StackConfig): Promise<Registered[]> {
  return registeredBy(
    async () => {
      const { host } = await registerExistingHost(config, config.host as ExistingHostConfig, { finished: false });
      const events = await readStackEvents(config);
      if (host) pillar = new PillarNode("node", { host, events });
    },
    {
      "first-contact": { pinned: hostKey, fingerprint: "SHA256:x" },
      // The engine passes an output of secret inputs.
      "node-producer-address": { result: address },
    },
  );
}

function resolved<T>(output: pulumi.Output<T>): Promise<{ value: T; secret: boolean }> {
  const { isSecret } = output as unknown as { isSecret: Promise<boolean> };
  return new Promise((resolve) => {
    output.apply(async (value) => resolve({ value: value as T, secret: await isSecret }));
  });
}

let all: Registered[];
const named = (name: string) => all.find((resource) => resource.name === name) as Registered;

describe("a host with a pinned key", () => {
  beforeAll(async () => {
    all = await standUp(pinned);
  });

  test("registers first contact, guard, node and its children in this order", () => {
    const places = ["host", "first-contact", "host-set-up", "host-guard", "node"];
    const placeOf = ({ name }: Registered) => (places.includes(name) ? places.indexOf(name) : places.length);
    const byPlace = [...all].sort((a, b) => placeOf(a) - placeOf(b));
    expect(byPlace.map(({ type, name, parent, after }) => ({ type, name, parent, after }))).toEqual([
      { type: "pillar-host:host:ExistingHost", name: "host", parent: "", after: [] },
      { type: firstContact, name: "first-contact", parent: "host", after: [] },
      { type: hostSetUp, name: "host-set-up", parent: "host", after: ["first-contact"] },
      { type: hostGuard, name: "host-guard", parent: "host", after: ["first-contact"] },
      { type: "pillar-host:node:PillarNode", name: "node", parent: "", after: [] },
      ...order.map((name, index) => ({
        type: name === "node-sync" ? gate : command,
        name,
        parent: "node",
        // Each step works again after a lost set-up.
        after: [index === 0 ? "host-guard" : order[index - 1], ...(name === "node-sync" ? [] : ["host-set-up"])],
      })),
    ]);
  });

  test("names only the step in a command line, and runs nothing when it changes or goes", () => {
    const commands = all.filter(({ type }) => type === command);
    const names = "preflight prepare packages controller hourlyRestart deploy hourlyRestart producerAddress".split(" ");
    const lines = names.map((step) => `bash -euo pipefail -s ${step} # to go on: pulumi up -s prod`);
    expect(commands.map(({ inputs }) => inputs.create)).toEqual(lines);
    // The plugin's own log would print a host's output as it is.
    const [connection, create, stdin] = Array(3).fill(expect.anything());
    for (const { inputs } of commands)
      expect(inputs).toEqual({ addPreviousOutputInEnv: false, connection, create, logging: "none", stdin });
  });

  test("the rows of a sync of a week leave room for the progress on a screen of 100 columns", () => {
    const rows = all.slice(0, all.findIndex(({ type }) => type === gate) + 1);
    const widest = (texts: readonly string[]) => Math.max(...texts.map(({ length }) => length));
    const types = rows.map(({ type, parent }) => (parent === "" ? "├─ " : "│  ├─ ") + type);
    const columns = [
      " +",
      widest(types),
      widest(rows.map(({ name }) => name)),
      "creating (604800s)...",
      "43 %, 2h10m left",
    ];
    const width = columns.reduce<number>((sum, each) => sum + 2 + (typeof each === "number" ? each : each.length), 0);
    expect(rows.length).toBeGreaterThan(9);
    expect(width).toBeLessThanOrEqual(101);
  });

  test("the gate's row has the URN under which its provider shows the progress", async () => {
    expect((await resolved(pillar.gate.urn)).value).toBe(formatGateUrn("prod-2"));
  });

  test("marks connection, script and the hash of the login as secret, and has no secret elsewhere", () => {
    for (const { type, inputs } of all.filter(({ type: each }) => !each.startsWith("pillar-host:"))) {
      const open = concealed(inputs) as Record<string, unknown>;
      if (type !== command) expect(open.__provider).toBe(providerNames.get(type));
      if (type === command) expect(open).toMatchObject({ connection: "[secret]", stdin: "[secret]" });
      else if (type === firstContact) expect(open).toMatchObject({ login: "[secret]" });
      else if (type === hostSetUp) expect(Object.keys(open).sort()).toEqual(["__provider", "address", "stateVersion"]);
      else if (type === gate)
        expect(Object.keys(open).sort()).toEqual(["__provider", "address", "hostKey", "stack", "stateVersion"]);
      expect(JSON.stringify(open)).not.toMatch(/hunter2|PRIVATE KEY/);
    }
    // The search finds the secret in its proper place.
    expect(JSON.stringify(revealed(all)).includes(JSON.stringify(privateKey).slice(1, -1))).toBe(true);
  });

  test("turns the hourly restart on before the deploy, and off after the gate", () => {
    expect(revealed(named("node-hourly-restart").inputs.stdin)).toContain("cron_action='on'\nnode_synced='no'\n");
    expect(revealed(named("node-hourly-restart-off").inputs.stdin)).toContain("cron_action='off'\nnode_synced='yes'\n");
  });

  test("returns the producer address that the last step read", async () => {
    expect(await resolved(pillar.producerAddress)).toEqual({ value: address, secret: false });
  });
});

describe("a host whose key is not configured", () => {
  beforeAll(async () => {
    all = await standUp(configOf());
  });

  test("records its key first, and pins every connection to it", () => {
    const {
      __provider: _,
      stateVersion: __,
      run,
      ...inputs
    } = revealed(named("first-contact").inputs) as Record<string, unknown>;
    expect(inputs).toEqual({
      stack: "prod",
      address: "203.0.113.7",
      port: 22,
      login: expect.stringMatching(/^[0-9a-f]{64}$/),
      work: expect.stringMatching(/^[0-9a-f]{12}$/),
      secrets: ["pillar-host:ssh.password"],
    });
    expect(run).toMatch(/^[0-9a-f-]{36}$/);
    expect(named("host-guard").after).toContain("first-contact");
    expect(named("node-preflight").after).toContain("host-guard");
    expect(revealed(named("node-deploy").inputs.connection)).toMatchObject({ hostKey });
  });
});

const inputsOf = async (changes: Record<string, unknown>, finished: boolean) => {
  const config = configOf(changes);
  const host = config.host as ExistingHostConfig;
  const registered = await registeredBy(() => registerExistingHost(config, host, { finished }));
  return revealed(registered.find(({ name }) => name === "first-contact")?.inputs) as Record<string, unknown>;
};

test("the first contact stays the same for a stack that completed; it is another one in each run until then", async () => {
  expect(await inputsOf({}, true)).not.toHaveProperty("run");
  expect((await inputsOf({}, false)).run).not.toBe((await inputsOf({}, false)).run);
});

test("gives the gate the configured sync", () => {
  const references = ["http://203.0.113.8:35997", "https://node.example"];
  const sync = { wait: "check", confirmations: 5, confirmSeconds: 30, tolerance: 7, stallMinutes: 2, references };
  const settings = { wait: "check", confirmations: 5, confirmSpan: 30_000, tolerance: 7, stallAfter: 120_000 };
  const found = createGateSettings(configOf({ node: { service: "znnd" }, sync }));
  expect(found).toMatchObject({ ...settings, service: "znnd", references });
});

test.each([
  [{ rpc: "direct" }, "203.0.113.7"],
  [{ rpc: "direct", rpcAddress: "10.0.0.7" }, "10.0.0.7"],
  [{ rpc: "ssh", rpcAddress: "10.0.0.7" }, "10.0.0.7"],
])("reaches the node's RPC with %j at %s", (node, at) => {
  expect(createNodeTarget(configOf({ node }), "203.0.113.7", hostKey)).toMatchObject({ via: node.rpc, address: at });
});

const directory = scratchDirectory();

test("removes the remains of an interrupted chain copy before the gate, if none is wanted any more", async () => {
  const place = { directory: directory(), stack: "prod-2", pillar: "Anvil" };
  const log = openEventLog(place, { now: () => 0, say: () => undefined });
  const away = async (from: "network" | "oldHost" = "network") => {
    const oldHost = { address: "198.51.100.9", hostKey: oldKey };
    const orchestrator = { backup: { directory: directory() } };
    all = await standUp(configOf({ host: { ...least.host, hostKey }, sync: { from }, oldHost, orchestrator }));
    return all.find(({ name }) => name === "node-chain-copy-away");
  };
  await log.add({ event: "chainCopyBegun", details: { from: "198.51.100.9" } });
  expect(await away("oldHost")).toBeUndefined();
  expect((await away())?.after).toEqual(["node-deploy", "host-set-up"]);
  expect(named("node-sync").after).toEqual(["node-chain-copy-away"]);
  await log.add({ event: "chainCopied", details: { from: "a", files: 1, bytes: 1, seconds: 1, height: 1 } });
  expect(await away()).toBeUndefined();
});

test("tells a copy to a host past its gate of the confirmation, and of an earlier one that did not end", async () => {
  const oldHost = { address: "198.51.100.9", hostKey: oldKey };
  const orchestrator = { backup: { directory: directory() } };
  const copyOf = async (more: object) => {
    const sync = { from: "oldHost", stallMinutes: 2, ...more };
    all = await standUp(configOf({ host: { ...least.host, hostKey }, sync, oldHost, orchestrator }));
    return revealed(named("node-chain-copy").inputs) as Record<string, unknown>;
  };
  expect(await copyOf({})).not.toHaveProperty("again");
  expect((await copyOf({ copyAgain: 7 })).again).toBe(7);
  // The deploy, which may run again, leaves the node to the copy.
  expect(revealed(named("node-deploy").inputs.stdin)).toContain("copy_again='7'");
  const log = openEventLog(
    { directory: directory(), stack: "prod-2", pillar: "Anvil" },
    { now: () => 0, say: () => {} },
  );
  await log.add({ event: "chainCopyBegun", details: { from: "198.51.100.9", confirmed: 7 } });
  expect((await copyOf({})).begun).toBe("1970-01-01T00:00:00.000Z");
});

test("copies the old host's chain between deploy and gate if configured, without a login in the state", async () => {
  const oldHost = { address: "198.51.100.9", hostKey: oldKey, user: "op", password: "hunter2-old", dataDir: "/data" };
  const sync = { from: "oldHost", copyMbps: 50, references: ["https://node.example/hunter2-key"] };
  all = await standUp(configOf({ host: { ...least.host, hostKey }, network: { momentum: "2s" }, sync, oldHost }));
  const copy = named("node-chain-copy");
  expect(copy.after).toEqual(["node-deploy"]);
  expect(named("node-sync").after).toEqual(["node-chain-copy"]);
  for (const { inputs } of all) expect(JSON.stringify(concealed(inputs))).not.toMatch(/hunter2|login-pw/);
  const { __provider: _, stateVersion: __, ...inputs } = copy.inputs;
  const host = { stack: "prod", address: "203.0.113.7", hostKey };
  expect(inputs).toEqual({ ...host, oldHost: { address: "198.51.100.9", hostKey: oldKey } });
});
