import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { registerExistingHost } from "../../components/host/registerHost.ts";
import { PillarNode } from "../../components/node/pillarNode.ts";
import { Orchestrator } from "../../components/orchestrator/orchestrator.ts";
import { HostRetirement } from "../../components/retirement/guard.ts";
import { findValue, parseConfig, type Raw, type StackConfig, setValue } from "../../core/config/config.ts";
import type { ExistingHostConfig } from "../../core/config/hostSchema.ts";
import { listSchemaKeys } from "../../core/config/schemaKeys.ts";
import { listSecretKeys } from "../../core/config/secretKeys.ts";
import { stackSchema } from "../../core/config/stackSchema.ts";
import { keyPair } from "../core/chain/fakes.ts";
import { least } from "./exampleConfig.ts";
import { registeredBy } from "./fakeEngine.ts";

const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const otherKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFGSBtGbUCwrGN7Gq8VzKQVWmBcQTTWqvSAZ8qkzNQVS";
const release = { url: "https://r.example/n.zip", sha256: "a".repeat(64), version: "v0.0.10" };
const old = { address: "198.51.100.9", hostKey: otherKey };
const publicKey = () => keyPair().public.split(" ").slice(0, 2).join(" ");
const [thirdKey, fourthKey, fifthKey] = [publicKey(), publicKey(), publicKey()];
const privateKey = keyPair().private;
const keyFile = join(mkdtempSync(join(tmpdir(), "triggers-")), "key");
writeFileSync(keyFile, privateKey, { mode: 0o600 });
afterAll(() => rmSync(dirname(keyFile), { recursive: true }));
const known = { finished: true, address: least.host.address, hostKey } as const;

const proxy = { address: "192.0.2.9", hostKey: fifthKey };

/** All blocks that make a resource. */
const base: Raw = {
  ...least,
  host: { ...least.host, hostKey },
  ssh: { ...least.ssh, proxy },
  controller: { ...least.controller, go: { url: "https://go.example/go1.tar.gz", sha256: "d".repeat(64) } },
  node: { release },
  sync: { unverifiedChain: "acknowledged", from: "oldHost" },
  oldHost: { ...old, proxy },
  orchestrator: { release, move: true, firstMove: "acknowledged" },
  retirement: { successor: { address: "192.0.2.3", hostKey: thirdKey, proxy } },
};

/** Values to try for a key: the first that the schema takes, and that is another one, counts. */
const values = [
  ...[
    true,
    false,
    1,
    2,
    7,
    40,
    500,
    1234,
    "1h",
    "2h",
    "3d",
    "90s",
    "acknowledged",
    "check",
    "retiring",
    "direct",
    "network",
  ],
  ...[
    "word",
    "/srv/other",
    "10.0.0.7",
    fourthKey,
    "b".repeat(64),
    "v0.0.11",
    "https://other.example/x.zip",
    "0123456789ab",
  ],
  ...[
    ["https://other.example:35997"],
    ["ubuntu-26.04"],
    ["192.0.2.1/32"],
    { bucket: "b" },
    { address: "10.0.0.8", hostKey: fourthKey },
  ],
  ...[
    release,
    { url: "https://go.example/go.tar.gz", sha256: "c".repeat(64) },
    { name: "Bolt" },
    { momentum: "2s" },
    33,
  ],
  ...[
    { file: "backups/prod.tar.age", manifestFile: "m" },
    keyFile,
    privateKey,
    "/srv/.orchestrator",
    "2026-01-01T00:00:00Z",
    "s3://bucket",
    { url: "x" },
  ],
];

function parse(raw: Raw): StackConfig | undefined {
  const parsed = parseConfig(raw, "prod");
  return "config" in parsed ? parsed.config : undefined;
}

/** Returns the whole configuration with another value of a key; undefined if no value of the list fits. */
function changed(path: readonly string[], from: Raw): StackConfig | undefined {
  const before = JSON.stringify(parse(from));
  for (const value of values) {
    if (findValue(from, path) === value) continue;
    const config = parse(setValue(from, path, value));
    if (config !== undefined && JSON.stringify(config) !== before) return config;
  }
  return undefined;
}

async function registered(config: StackConfig): Promise<Map<string, string>> {
  const all = await registeredBy(
    async () => {
      const { host } = await registerExistingHost(config, config.host as ExistingHostConfig, known);
      if (!host) return;
      if (config.lifecycle !== "active") return void new HostRetirement({ host, after: [], shutDown: { run: "1" } });
      new PillarNode("node", { host, events: [] });
      if (config.orchestrator.move) new Orchestrator("orchestrator", { host, after: [] });
      new HostRetirement({ host, after: [], knownProducer: "z1q" });
    },
    { "node-producer-address": { result: "z1qqjnwjjpnue8xmmpanz6csze6tcmtzzdtfsww7" } },
  );
  const dynamic = all.filter(({ type }) => type.startsWith("pulumi-nodejs:"));
  return new Map(dynamic.map(({ name, inputs }) => [name, JSON.stringify({ ...inputs, run: undefined })]));
}

/** Keys with one value alone, and those that decide what is registered. */
const fixed = ["host.provider", "sync.unverifiedChain", "orchestrator.firstMove", "orchestrator.move", "lifecycle"];
const keys = listSchemaKeys(stackSchema)
  .filter(({ isBlock, variant }) => !isBlock && (variant === undefined || variant === "existing"))
  .map(({ path }) => path)
  .filter((path) => !fixed.includes(path.join(".")));

/** Returns for each resource the keys whose change changes its inputs; throws for a key without another value. */
async function findReasons(from: Raw): Promise<Record<string, string[]>> {
  expect((parseConfig(from, "prod") as { faults?: string[] }).faults ?? []).toEqual([]);
  const before = await registered(parse(from) as StackConfig);
  const reasons = Object.fromEntries([...before.keys()].map((name) => [name, [] as string[]]));
  for (const path of keys) {
    const config = changed(path, from);
    if (config === undefined) throw new Error(`no other value is tried for ${path.join(".")}`);
    const now = await registered(config);
    for (const [name, inputs] of before) if (now.get(name) !== inputs) reasons[name]?.push(path.join("."));
  }
  return reasons;
}

const host = ["host.address", "host.hostKey"];
const guarded = ["pillar.name", ...host];
const below = (block: string, names: string) => names.split(" ").map((name) => `${block}.${name}`);
const move = [
  ...guarded,
  ...["ssh.user", "ssh.port", "node.dataDir", "store"],
  ...below("orchestrator", "service directory executable rpcPort release.version"),
  ...below("oldHost", "address hostKey user port copyAddress dataDir"),
  ...below("oldHost.orchestrator", "service directory executable"),
  ...below("orchestrator", "noKeyShare haltedBridge restoreFrom laterThanMove lostLine"),
  ...["orchestrator.backup.directory", "orchestrator.backup.identityFile", "orchestrator.attempt"],
];
const own = (key: string) => /^ssh\./.test(key);
/** Each key registers all resources anew, which takes a fifth of a second on a quiet machine. */
const timeout = 900_000;
const hidden = listSecretKeys().map((path) => path.join("."));

test("each key of the configuration is a reason to run for these resources alone", { timeout }, async () => {
  const found = await findReasons(base);
  const unused = ["ssh.sudoPassword", "ssh.proxy.privateKeyPassword"];
  const isReason = (key: string) => (own(key) ? !unused.includes(key) : !hidden.includes(key));
  const names = keys.map((path) => path.join("."));
  const inOrder = (expected: readonly string[]) => names.filter((name) => expected.includes(name));
  expect(found).toEqual({
    // A reader of the state must not guess a secret from a hash, so only those of the own login count, in a secret input.
    "first-contact": names.filter(isReason),
    "host-set-up": ["host.address"],
    "host-guard": inOrder(guarded),
    "node-upgrade": inOrder([...host, "node.release.url", "node.release.sha256", "node.release.version"]),
    "node-chain-copy": inOrder([...host, "oldHost.address", "oldHost.hostKey", "sync.copyAgain", "sync.from"]),
    "node-sync": host,
    "orchestrator-backup": inOrder(move),
    "orchestrator-move": inOrder([...move, "orchestrator.rollback"]),
    guard: inOrder(guarded),
  });
});

test("of a retiring host, Pillar and host alone are reasons", { timeout }, async () => {
  const { "first-contact": _, ...found } = await findReasons({ ...base, lifecycle: "retiring" });
  expect(found).toEqual({ "host-guard": guarded, "node-shutdown": guarded, guard: guarded });
});
