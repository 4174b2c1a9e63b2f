import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseConfig } from "../../../core/config/config";
import { configOf, faultsOf, least } from "../../components/exampleConfig";

const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const otherKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFGSBtGbUCwrGN7Gq8VzKQVWmBcQTTWqvSAZ8qkzNQVS";
const raw = Buffer.from(key.split(" ")[1] ?? "", "base64");

/** Returns a configuration with one value at a path below `pillar-host:` and the other keys that its block requires. */
function withValue(path: string, value: unknown): Record<string, unknown> {
  const [block = "", ...rest] = path.split(".");
  const other = { address: "198.51.100.9", hostKey: otherKey };
  const around: Record<string, unknown> = {
    "orchestrator.migrateFrom": other,
    "retirement.successor": other,
    "sync.oldHost": other,
    "orchestrator.release": { version: "v0.0.9", url: "https://release.example/o" },
  };
  const build = (at: string, steps: string[]): unknown => {
    const [step, ...more] = steps;
    if (step === undefined) return value;
    const base = (at === block ? (least as Record<string, unknown>)[block] : undefined) ?? around[at] ?? {};
    return { ...(base as object), [step]: build(`${at}.${step}`, more) };
  };
  const made = build(block, rest) as Record<string, unknown>;
  return { [block]: path.startsWith("sync.oldHost") ? { ...made, from: "oldHost" } : made };
}

const addresses = [
  "host.address",
  "orchestrator.migrateFrom.address",
  "orchestrator.migrateFrom.copyAddress",
  "sync.oldHost.address",
  "retirement.successor.address",
];
const hostKeys = [
  "host.hostKey",
  "orchestrator.migrateFrom.hostKey",
  "sync.oldHost.hostKey",
  "retirement.successor.hostKey",
];
const dataDirs = [
  "node.dataDir",
  "orchestrator.migrateFrom.dataDir",
  "sync.oldHost.dataDir",
  "retirement.successor.dataDir",
];
const services = ["node.service", "orchestrator.service", "orchestrator.migrateFrom.service", "sync.oldHost.service"];

const table: readonly (readonly [
  what: string,
  paths: readonly string[],
  bad: readonly unknown[],
  good: readonly unknown[],
])[] = [
  [
    "a Pillar's name",
    ["pillar.name"],
    ["..", ".", "-s", "a..b", "_a", "a-", "a.-b", "a b", "a\nb", "", "A".repeat(41)],
    ["Anvil", "A", "a.b-c_d", "7", "A".repeat(40)],
  ],
  [
    "an address",
    addresses,
    [
      ...["-oX", "--help", "192.0.2.1:22", "host:22", "0.0.0.0", "::", "0:0::0", "203.0.113.09", "203.0.113", "127.1"],
      ...[
        "999.1.1.1",
        "0x7f000001",
        "::ffff:203.0.113.9",
        "::FFFF:cb00:7109",
        "0:0:0:0:0:ffff:cb00:7109",
        "fe80::1%eth0",
      ],
      ...["host-", "a..b", "a.-b", "1.2.3.4.5", "1:2", ":::", "12345::"],
    ],
    ["198.51.100.12", "2001:db8::9", "old.example", "web-1", "xn--bcher-kva.example", "1host", "10-0-0-1.example"],
  ],
  [
    "a host key",
    hostKeys,
    [
      ...[
        'ssh-x"},"stage":"y ssh-ed25519 AAAA',
        "ssh-ed25519 AAAA",
        "nonsense",
        `ecdsa-sha2-nistp256 ${key.split(" ")[1]}`,
      ],
      ...[
        `ssh-ed25519 ${raw.subarray(0, 40).toString("base64")}`,
        `ssh-ed25519 ${Buffer.concat([raw, raw]).toString("base64")}`,
      ],
      `${key}\n${key}`,
    ],
    [otherKey, `198.51.100.9 ${otherKey} root@old`, `${otherKey} a "comment"`],
  ],
  [
    "a data directory",
    dataDirs,
    [
      ...[
        "/..",
        "/.",
        "/a/../b",
        "/a/./b",
        "/etc",
        "/",
        "/root",
        "/usr",
        "/var",
        "/home",
        "/boot/x",
        "/etc/x",
        "/proc/1",
      ],
      ...["/dev/shm", "/sys/x", "/bin", "/lib64", "/run/znn", "/tmp", "/opt", "relative", "~/.znn", "/a b"],
    ],
    ["/root/.znn", "/data", "/mnt", "/mnt/data", "/var/lib/znn", "/home/op/.znn", "/opt/znn", "/etcetera"],
  ],
  [
    "the orchestrator's directory",
    ["orchestrator.directory", "orchestrator.migrateFrom.directory"],
    ["/../.orchestrator", "/etc/.orchestrator", "/.orchestrator/.."],
    ["/root/.orchestrator", "/home/op/.orchestrator"],
  ],
  ["the controller's directory", ["controller.directory"], ["/..", "/root/../etc"], ["/root", "/opt"]],
  [
    "a service",
    services,
    ["ssh", "sshd.service", "systemd-journald", "dbus", "-x", ".."],
    ["go-zenon", "signer", "signer.service", "sshd2"],
  ],
  [
    "the RPC's address",
    ["node.rpcAddress"],
    ["0.0.0.0", "127.0.0.1:35997", "127.0.0.09", "::ffff:7f00:1", "::", "beef"],
    ["127.0.0.1", "192.0.2.7", "::1"],
  ],
  [
    "an address of the web",
    ["sync.references", "retirement.references"],
    [
      ["http://user:s3cretpw@192.0.2.1:35997"],
      ["http:s3cretpw@192.0.2.1"],
      ["http://s3cretpw@192.0.2.1"],
      ["http://$(id)/"],
      ["http://a\\@s3cretpw"],
      ["ftp://a"],
      ["http://a/x y"],
    ],
    [["http://192.0.2.1:35997"], ["https://node.example/rpc?x=@y"], ["http://[2001:db8::1]:35997/"]],
  ],
  [
    "an address of a release or webhook",
    ["controller.release.url", "orchestrator.release.url", "notify", "heartbeat"],
    [
      "https://user:s3cretpw@release.example/a.zip",
      "https:s3cretpw@release.example/a.zip",
      "https://s3cretpw@a/b",
      "https://$(id)/y.zip",
      "https://a`id`/",
      "https://a b/",
      "https://a/x y",
    ],
    ["https://release.example/a.zip", "https://release.example:8443/a@b.zip?token=a%20b", "https://[2001:db8::1]/a"],
  ],
  [
    "a store",
    ["store"],
    ["s3://user:s3cretpw@bucket", "s3://bucket?endpoint=https://user:s3cretpw@s3.example"],
    ["s3://bucket?region=eu-west-1"],
  ],
];

const cases = (of: "bad" | "good") =>
  table.flatMap(([what, paths, bad, good]) =>
    paths.flatMap((path) => (of === "bad" ? bad : good).map((value) => ({ what, path, value }))),
  );

describe("uses one schema for each kind of value, in every block", () => {
  test.each(cases("bad"))("$path refuses $value", ({ path, value }) => {
    const faults = faultsOf(withValue(path, value));
    expect(faults.join("\n")).toContain(`pillar-host:${path}`);
    expect(faults.join("\n")).not.toMatch(/s3cretpw|\$\(id\)/);
  });

  test.each(cases("good"))("$path accepts $value", ({ path, value }) => {
    expect(faultsOf(withValue(path, value))).toEqual([]);
  });
});

test("rebuilds a host key from its kind and its key", () => {
  const host = (hostKey: string) => configOf({ host: { ...least.host, hostKey } }).host.hostKey;
  for (const line of [key, ` 203.0.113.7 ${key} me@here `, `${key} "},"x":"`, `ssh-x"},"stage":"y ${key}`])
    expect(host(line)).toBe(key);
});

describe("one machine under two names", () => {
  const blocks = {
    "orchestrator.migrateFrom": (other: object) => ({ orchestrator: { migrateFrom: other } }),
    "sync.oldHost": (other: object) => ({ sync: { from: "oldHost", oldHost: other } }),
    "retirement.successor": (other: object) => ({ retirement: { successor: other } }),
  };
  const same: readonly (readonly [own: object, other: { address: string; hostKey: string }, at: string])[] = [
    [{ address: "203.0.113.7" }, { address: "203.0.113.7", hostKey: key }, "address"],
    [{ address: "Web.example" }, { address: "web.EXAMPLE", hostKey: key }, "address"],
    [{ address: "2001:db8::9" }, { address: "2001:DB8:0:0::9", hostKey: key }, "address"],
    [{ address: "203.0.113.7", hostKey: key }, { address: "localhost", hostKey: `localhost ${key} me` }, "hostKey"],
  ];
  test.each(
    Object.entries(blocks).flatMap(([block, make]) =>
      same.map(([own, other, at]) => ({ block, make, own, other, at })),
    ),
  )("is refused in $block: $other.address", ({ block, make, own, other, at }) => {
    const faults = faultsOf({ host: { ...least.host, ...own }, ...make(other) });
    expect(faults).toEqual([
      expect.stringMatching(new RegExp(`^pillar-host:${block}\\.${at}: is .*this stack's own host`)),
    ]);
  });

  test("is refused for a cloud's server, too, by its key", () => {
    const cloud = { provider: "hetzner", token: "a".repeat(64), importId: 7, hostKey: key };
    const orchestrator = { migrateFrom: { address: "198.51.100.9", hostKey: key } };
    expect(faultsOf({ lifecycle: "adopted", host: cloud, orchestrator })).toEqual([
      expect.stringContaining("pillar-host:orchestrator.migrateFrom.hostKey: is the key of this stack's own host"),
    ]);
  });
});

test.each([
  [{ node: { service: "x" }, orchestrator: { service: "x" } }, "orchestrator.service"],
  [{ node: { service: "x" }, orchestrator: { service: "x.service" } }, "orchestrator.service"],
  [{ node: { service: "orchestrator" } }, "orchestrator.service"],
  [
    { orchestrator: { migrateFrom: { address: "198.51.100.9", hostKey: key, service: "go-node.service" } } },
    "orchestrator.migrateFrom.service",
  ],
  [
    {
      sync: { from: "oldHost", oldHost: { address: "198.51.100.9", hostKey: key, service: "orchestrator" } },
      orchestrator: { migrateFrom: { address: "198.51.100.9", hostKey: key } },
    },
    "orchestrator.migrateFrom.service",
  ],
])("refuses one service for node and orchestrator: %j", (changes, at) => {
  expect(faultsOf(changes)).toEqual([expect.stringContaining(`pillar-host:${at}: is the node's service`)]);
});

test("shows no part of an address that may be a secret in any fault", () => {
  const secret = fc.string({ unit: fc.constantFrom(..."abcdefXYZ0123456789"), minLength: 12, maxLength: 24 });
  const form = fc.constantFrom(
    "https://user:S@a.example/x",
    "http://S@192.0.2.1",
    "https:S@a.example",
    "s3://k:S@bucket",
    "https://a.example:S/x",
    "ftp://S/x",
    "S@a.example",
  );
  const path = fc.constantFrom(
    "sync.references",
    "retirement.references",
    "controller.release.url",
    "orchestrator.release.url",
    "notify",
    "heartbeat",
    "store",
    "host.address",
    "node.rpcAddress",
    "controller.addresses",
  );
  fc.assert(
    fc.property(secret, form, path, (word, shape, at) => {
      const text = shape.replace("S", word);
      const value = /references|addresses/.test(at) ? [text] : text;
      const parsed = parseConfig({ ...least, ...withValue(at, value) }, "prod");
      expect("faults" in parsed && parsed.faults.length > 0).toBe(true);
      expect(JSON.stringify(parsed)).not.toContain(word);
    }),
  );
});
