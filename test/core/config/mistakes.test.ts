import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { parseWholeConfig, type Raw, setValue } from "../../../core/config/config.ts";
import { least } from "../../components/exampleConfig.ts";
import { keyPair } from "../chain/fakes.ts";

const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const otherKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFGSBtGbUCwrGN7Gq8VzKQVWmBcQTTWqvSAZ8qkzNQVS";
const sha256 = "0123456789abcdef".repeat(4);
const pair = keyPair();
const place = mkdtempSync(join(homedir(), ".pillar-host-mistakes-"));
afterAll(() => rmSync(place, { recursive: true }));

function keyFile(name: string, text: string): string {
  writeFileSync(join(place, name), text, { mode: 0o600 });
  return join(place, name);
}

const other = { address: "198.51.100.9", hostKey: otherKey };
const release = { url: "https://release.example/a.tgz", sha256 };
/** Holds every block in which a mistake can be made. */
const existing: Raw = {
  ...least,
  host: { ...least.host, hostKey: key },
  ssh: { privateKeyFile: keyFile("key", pair.private) },
  node: { release: { ...release, version: "v0.0.10" } },
  sync: { from: "oldHost", references: ["http://192.0.2.1:35997"] },
  oldHost: other,
  orchestrator: { move: true, release: { ...release, version: "v0.0.9" } },
  retirement: { successor: other },
};
const token = "a".repeat(64);
const cloud: Raw = { ...existing, host: { provider: "hetzner", token, sshFrom: ["198.51.100.7/32"] } };
const adopted: Raw = { ...cloud, lifecycle: "adopted", host: { provider: "hetzner", token, importId: 7 } };

/** Describes a mistake: the key with it, its value, the stack in which it is made, and the key that the fault names. */
type Mistake = readonly [path: string, value: unknown, base?: Raw, named?: string];

const each = (paths: readonly string[], values: readonly unknown[], base?: Raw): Mistake[] =>
  paths.flatMap((path) => values.map((value): Mistake => [path, value, base]));

const others = ["oldHost", "retirement.successor"];
const otherAddresses = others.map((block) => `${block}.address`);
const addresses = ["host.address", ...otherAddresses];
const hostKeys = ["host.hostKey", ...others.map((block) => `${block}.hostKey`)];
const ports = [
  "ssh.port",
  "node.rpcPort",
  "node.wsPort",
  "node.p2pPort",
  "orchestrator.rpcPort",
  "orchestrator.p2pPort",
];
const durations = ["sync.deadline", "controller.deployTimeout", "orchestrator.startTimeout"];
const rsa = "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQDK";

const refused: Record<string, readonly Mistake[]> = {
  "blanks and tabs": [
    ...each(["pillar.name", "host.address", "ssh.user", "node.service", "node.dataDir"], ["x ", "\tx"]),
    ...each(["sync.deadline"], [" 7d", "7d "]),
    ["orchestrator.rpcFrom.0", "192.0.2.0/24 "],
    ["controller.release.sha256", `${sha256} `],
  ],
  ports: each(ports, ["35990", 0, 65536, 22.5]),
  "letters that look like others": [
    ...each(["pillar.name"], ["Аnvil", "Ａnvil", "Anvil​"]),
    ...each(["host.address"], ["оld.example", "２03.0.113.7"]),
    ["sync.references.0", "http://nоde.example:35997"],
  ],
  "forms of an address": [
    ...each(addresses, ["203.0.113.09", "3405803783", "::ffff:203.0.113.9", "::FFFF:cb00:7109", "fe80::1%eth0"]),
    ...each(["host.address"], ["[2001:db8::9]", "root@203.0.113.9", "0x7f.1", "203.0.113", "0:0:0:0:0:ffff:cb00:7109"]),
    ["oldHost.copyAddress", "203.0.113.09"],
    ["node.rpcAddress", "localhost"],
  ],
  "addresses of no machine": [
    ...each(
      ["host.address"],
      ["255.255.255.255", "224.0.0.1", "169.254.169.254", "0.0.0.0", "::", "ff02::1", "fe80::1"],
    ),
    ["retirement.successor.address", "169.254.169.254"],
  ],
  "host keys": each(hostKeys, [`${key} ${otherKey.split(" ")[1]}\n${otherKey}`, key.slice(0, 60), rsa]),
  "private keys": [
    ["ssh.privateKeyFile", keyFile("key.pub", pair.public)],
    ["ssh.privateKeyFile", "/dev/zero"],
    ["ssh.privateKeyFile", `${join(place, "key")} `],
    ["ssh.privateKeyFile", keyFile("torn", pair.private.slice(0, 60))],
  ],
  durations: each(durations, ["90", "-7d", 90, "5M", "99999999y", ""]),
  networks: [
    ...each(["host.sshFrom.0"], ["198.51.100.7/24", "198.51.100.7", "198.51.100.0/33", "0.0.0.0/00", "::/00"], cloud),
    ["orchestrator.rpcFrom.0", "192.0.2.1/24"],
    ["orchestrator.rpcFrom.0", "2001:db8::1/64"],
  ],
  "networks of everybody": (
    [["0.0.0.0/0"], ["::/0"], ["0.0.0.0/1", "128.0.0.0/1"], ["2000::/3"], ["192.0.2.0/24", "0.0.0.0/2"]] as const
  ).map((networks): Mistake => ["orchestrator.rpcFrom", networks]),
  prices: each(["host.maxMonthly"], ["25 EUR", "24,50", "Infinity", "1e9", "0x40", " 25", 0, -1], cloud),
  "numbers of servers": each(["host.importId"], [7.5, "7.5", "web-1", 0, -7], adopted),
  "the host itself": [
    ...each(["sync.references.0"], ["http://203.0.113.7:35997", "http://3405803783/", "http://[::ffff:203.0.113.7]"]),
    ...others.map((block): Mistake => [`${block}.address`, "203.0.113.7", existing, block]),
    ...others.map((block): Mistake => [`${block}.hostKey`, key, existing, block]),
  ],
  "one reference twice": [
    ["http://192.0.2.1:35997", "http://192.0.2.1:35997/rpc"],
    ["https://node.example", "https://NODE.example:443"],
    ["https://node.example", "https://node.example./"],
  ].map((references): Mistake => ["sync.references", references, existing, "sync.references.1"]),
  downloads: [
    ...each(["node.release.sha256", "orchestrator.release.sha256"], [sha256.slice(1), `${sha256.slice(1)}g`]),
    ["controller.release.url", "http://release.example/a.zip", existing, "controller.release.sha256"],
    ["node.release.version", "0.0.10"],
  ],
  "secrets in addresses": [
    ["sync.references.0", "http://u:s3cretpw@192.0.2.1:35997"],
    ["controller.release.url", "https://u:s3cretpw@release.example/a.zip"],
    ...each(
      ["controller.release.url", "node.release.url", "orchestrator.release.url"],
      ["https://release.example/a?token=s3cretpw", "https://release.example/a?x=1&X-Amz-Signature=s3cretpw"],
    ),
    [
      "controller.go",
      { url: "https://go.example/go.tgz?access_token=s3cretpw", sha256 },
      existing,
      "controller.go.url",
    ],
  ],
  "ports of others": [
    ["node.p2pPort", 35997, setValue(existing, ["node", "rpcPort"], 35995)],
    ["node.wsPort", 35997],
    ["node.p2pPort", 35998],
    ["orchestrator.p2pPort", 35995],
    ["orchestrator.p2pPort", 22],
    ["orchestrator.rpcPort", 55055, existing, "orchestrator.p2pPort"],
  ],
  "paths on this machine": each(
    ["orchestrator.backup.directory", "orchestrator.backup.identityFile"],
    ["$HOME/b", "~bob/b"],
  ),
  "directories of the system": [
    ...each(["controller.directory", "node.dataDir"], ["/etc", "/usr/bin", "/root/.ssh", "/root/../etc", "znn"]),
    ["orchestrator.directory", "/root/signer"],
    ...each(["node.dataDir"], ["/root/.orchestrator", "/root/.orchestrator/znn"]),
    ["orchestrator.directory", "/root/.znn/.orchestrator", undefined, "node.dataDir"],
  ],
  "kinds and limits": [
    ["host.minimums.memoryGb", 4096],
    ["host.backups", "true", cloud],
    ["sync.confirmations", 1.5],
    ["lifecycle", "retired"],
    ["sync.from", "oldhost"],
    ["host.token", "dop_v1_0123", cloud],
    ["hcloud:endpoint", "http://api.example", cloud],
    ["hcloud:endpoint", "http://127.0.0.1.example", cloud],
  ],
};

/** Accepted, because they harm nothing, or are refused once the node's id is known, or at the first contact. */
const accepted: Record<string, readonly Mistake[]> = {
  "blanks around a URL, which are cut": [
    ["sync.references.0", "http://192.0.2.1:35997 "],
    ["controller.release.url", " https://release.example/a.zip"],
  ],
  "a tunnel": each(["sync.references.0"], ["http://localhost:41997", "http://127.0.0.1:41997"]),
  "this machine": [["host.address", "localhost"]],
  "the host as its own proxy": [["ssh.proxy", { address: "203.0.113.7", hostKey: key }]],
};

const rows = (table: Record<string, readonly Mistake[]>) =>
  Object.entries(table).flatMap(([what, mistakes]) =>
    mistakes.map(([path, value, base = existing, named = path]) => ({ what, path, value, base, named })),
  );

function parse({ path, value, base }: { readonly path: string; readonly value: unknown; readonly base: Raw }) {
  const [list, at] = /^(.*)\.0$/.exec(path) ? [path.slice(0, -2), true] : [path, false];
  const isOwn = !path.includes(":");
  const raw = isOwn ? setValue(base, list.split("."), at ? [value] : value) : base;
  const all = Object.fromEntries(Object.entries(raw).map(([name, each]) => [`pillar-host:${name}`, each]));
  return parseWholeConfig(isOwn ? all : { ...all, [path]: value }, "prod");
}

test.each([existing, cloud, adopted])("the stack of the mistakes has no other one: %#", (base) => {
  expect(parse({ path: "pillar.name", value: "Anvil", base })).not.toHaveProperty("faults");
});

test("there are as many mistakes as were made by hand", () => {
  expect(rows(refused).length).toBeGreaterThanOrEqual(176);
});

/** A text that may be a secret, of which only the kind is shown. */
const maybeSecret = /@|:\/|[A-Za-z0-9+=_-]{32}|[\r\n]/;

test.each(rows(refused))("refuses $what: $path = $value", (row) => {
  const { faults } = parse(row) as { faults: string[] };
  const { value, path, named } = row;
  const fault = faults.find((line) => line.includes(named));
  expect(faults).toHaveLength(1);
  expect(fault).toBeDefined();
  expect(fault).not.toContain("s3cretpw");
  // A rule of two keys names both, and a list is named by its key.
  if (named !== path || path === "host.token" || typeof value === "object") return;
  if (typeof value === "string" && value !== "" && !maybeSecret.test(value))
    expect(fault).toContain(JSON.stringify(value));
  if (typeof value === "number") expect(fault).toContain(String(value));
  if (typeof value === "string" && value.trim() !== value) expect(fault).toMatch(/"|blank/);
});

test.each(rows(accepted))("accepts $what: $path = $value", (row) => {
  expect(parse(row)).not.toHaveProperty("faults");
});
