import { expect, test } from "vitest";
import { findValue, parseConfig, setValue } from "../../../core/config/config.ts";
import { least } from "../../components/exampleConfig.ts";

const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const otherKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFGSBtGbUCwrGN7Gq8VzKQVWmBcQTTWqvSAZ8qkzNQVS";
const nistp256 =
  "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBJ6npb2Sl2KAgCvA8+JptmifsKuDI9im+jy6FPx3jCj+6VQL4R8b+RPpRyAP14FzUo8nbBXAbK4NIgrr2awJdfI=";
const raw = Buffer.from(key.split(" ")[1] ?? "", "base64");
const hex = "0123456789abcdef".repeat(4);
const other = { address: "198.51.100.9", hostKey: otherKey };
const existing = {
  ...least,
  sync: { from: "oldHost" },
  oldHost: other,
  orchestrator: { move: true, release: { version: "v0.0.9", url: "https://release.example/o", sha256: hex } },
  retirement: { successor: other },
};
const cloud = { ...least, lifecycle: "adopted", host: { provider: "digitalocean", token: "dop_v1_0123", importId: 7 } };

/** Parses a configuration with this value at a path below `pillar-host:`. */
function parseWith(path: string, value: unknown) {
  const base = /^host\.(?!address|hostKey)/.test(path) ? cloud : existing;
  return parseConfig(setValue(base, path.split("."), value), "prod");
}

const ofEachHost = (key: string) => ["oldHost", "retirement.successor"].map((block) => `${block}.${key}`);

/** Values of one kind: the keys that take them, then what they refuse, then what they accept. */
const kinds: Record<string, readonly [paths: readonly string[], bad: readonly unknown[], good: readonly unknown[]]> = {
  "a Pillar's name": [
    ["pillar.name"],
    ["..", ".", "-s", "a..b", "_a", "a-", "a.-b", "a b", "a\nb", "", "A".repeat(41)],
    ["Anvil", "A", "a.b-c_d", "7", "A".repeat(40)],
  ],
  "an address": [
    ["host.address", "oldHost.copyAddress", ...ofEachHost("address")],
    [
      ...["-oX", "--help", "192.0.2.1:22", "host:22", "0.0.0.0", "::", "0:0::0", "203.0.113.09", "203.0.113", "127.1"],
      ...["999.1.1.1", "0x7f000001", "::ffff:203.0.113.9", "::FFFF:cb00:7109", "0:0:0:0:0:ffff:cb00:7109"],
      ...["fe80::1%eth0", "host-", "a..b", "a.-b", "1.2.3.4.5", "1:2", ":::", "12345::", "a b"],
    ],
    ["198.51.100.12", "2001:db8::9", "old.example", "web-1", "xn--bcher-kva.example", "1host", "10-0-0-1.example"],
  ],
  "a host key": [
    ["host.hostKey", ...ofEachHost("hostKey")],
    [
      ...['ssh-x"},"stage":"y ssh-ed25519 AAAA', "ssh-ed25519 AAAA", "ssh-rsa AAAAB3Nz", "nonsense", `${key}\n${key}`],
      `ecdsa-sha2-nistp256 ${key.split(" ")[1]}`,
      `ssh-ed25519 ${raw.subarray(0, 40).toString("base64")}`,
      `ssh-ed25519 ${Buffer.concat([raw, raw]).toString("base64")}`,
    ],
    [nistp256, `198.51.100.9 ${nistp256} root@old`, `${nistp256} a "comment"`],
  ],
  "a data directory": [
    ["node.dataDir", ...ofEachHost("dataDir")],
    [
      ...["/..", "/.", "/a/../b", "/a/./b", "/etc", "/", "/root", "/usr", "/var", "/home", "/boot/x", "/etc/x"],
      "/proc/1",
      ...[
        "/root/.ssh",
        "/usr/bin",
        "/usr/local",
        "/var/lib/pillar-host/x",
        "/var/log/znn",
        "/dev/shm",
        "/sys/x",
        "/bin",
        "/lib64",
        "/run/znn",
        "/tmp",
        "/opt",
        "relative",
        "~/.znn",
        "/a b",
      ],
    ],
    [
      "/root/.znn",
      "/data",
      "/mnt",
      "/mnt/data",
      "/var/lib/znn",
      "/home/op/.znn",
      "/opt/znn",
      "/etcetera",
      "/usr/local/znn",
    ],
  ],
  "the orchestrator's directory": [
    ["orchestrator.directory", "oldHost.orchestrator.directory"],
    ["/../.orchestrator", "/etc/.orchestrator", "/.orchestrator/..", "/data/signer", "~/.orchestrator"],
    ["/root/.orchestrator", "/home/op/.orchestrator"],
  ],
  "the controller's directory": [
    ["controller.directory"],
    ["/..", "/root/../etc", "root", "/etc", "/usr/bin", "/usr", "/root/.ssh", "/bin", "/var", "/var/lib/pillar-host"],
    ["/root", "/opt", "/usr/local/controller", "/home/op"],
  ],
  "a path on this machine": [
    ["orchestrator.backup.directory", "orchestrator.backup.identityFile"],
    ["$HOME/b", "~bob/b", "/backups/$USER", ""],
    ["~/b", "backups", "/srv/b~1"],
  ],
  "a service": [
    ["node.service", "orchestrator.service", "oldHost.orchestrator.service", "oldHost.service"],
    ["ssh", "sshd.service", "systemd-journald", "dbus", "-x", "..", "go node"],
    ["go-zenon", "signer", "signer.service", "sshd2"],
  ],
  "a plain word": [
    ["ssh.user", "controller.executable"],
    ["a b", "../sh", "-x"],
    ["op", "znn-controller", "a.b_c"],
  ],
  "the RPC's address": [
    ["node.rpcAddress"],
    ["0.0.0.0", "127.0.0.1:35997", "127.0.0.09", "::ffff:7f00:1", "::", "beef", "localhost"],
    ["127.0.0.1", "192.0.2.7", "::1"],
  ],
  "addresses of nodes": [
    ["sync.references", "retirement.references"],
    [
      ...["http://user:s3cretpw@192.0.2.1:35997", "http:s3cretpw@192.0.2.1", "http://s3cretpw@192.0.2.1"],
      ...["http://$(id)/", "http://a\\@s3cretpw", "ftp://a", "http://a/x y"],
    ].map((url) => [url]),
    [["http://192.0.2.1:35997"], ["https://node.example/rpc?x=@y"], ["http://[2001:db8::1]:35997/"]],
  ],
  "plain addresses": [
    ["controller.addresses"],
    [["go.dev"], ["ftp://go.dev"], ["https://go.dev/?a=$(b)"], ["https://go.dev x"]],
    [["https://go.dev", "https://api64.ipify.org/", "http://10.0.0.1:8080/ip"]],
  ],
  "the address of a release or webhook": [
    ["controller.release.url", "orchestrator.release.url", "notify", "heartbeat"],
    [
      ...["https://user:s3cretpw@release.example/a.zip", "https:s3cretpw@a.example/a.zip", "https://s3cretpw@a/b"],
      ...["https://$(id)/y.zip", "https://a`id`/", "https://a b/", "https://a/x y", "ftp://a/c.zip", "a.example/c.zip"],
    ],
    ["https://release.example/a.zip", "HTTPS://a.example:8443/a@b.zip?file=a%20b", "https://[2001:db8::1]/a"],
  ],
  "a hash": [
    ["controller.release.sha256", "orchestrator.release.sha256"],
    [hex.slice(1), `${hex}0`, `${hex.slice(1)}g`, ""],
    [hex, hex.toUpperCase()],
  ],
  "a controller's version": [["controller.release.version"], ["0.0.4", "v0.0", "v0.0.4 a", ""], ["v0.0.4", "v0.0.4-a"]],
  "the orchestrator's version": [["orchestrator.release.version"], ["0.0.9", "v0.0.9ab"], ["v0.0.9", "v0.0.9a"]],
  "a store": [
    ["store"],
    ["s3://user:s3cretpw@bucket", "s3://bucket?endpoint=https://user:s3cretpw@s3.example"],
    ["s3://bucket?region=eu-west-1"],
  ],
  "a duration": [
    ["sync.deadline", "controller.deployTimeout"],
    ["59s", "soon", "-7d", "7 w 1 d", "", "5M", "99999999y", "366d", "7"],
    ["1m", "7 days", "1.5h"],
  ],
  networks: [
    ["host.sshFrom", "orchestrator.rpcFrom"],
    [
      ...[["198.51.100.7"], ["198.51.100.7/24"], ["198.51.100.7/33"], ["256.1.1.1/32"], ["home"], ["2001:db8::/129"]],
      ...[
        ["0.0.0.0/00"],
        ["::/00"],
        ["198.51.100.0/024"],
        ["2001:db8::1/64"],
        ["198.51.100.7/32 "],
        ["fe80::1%eth0/128"],
      ],
    ],
    [["198.51.100.7/32"], ["198.51.100.0/24"], ["2001:db8::/64"]],
  ],
  "the orchestrator's networks": [
    ["orchestrator.rpcFrom"],
    [["0.0.0.0/0"], ["::/0"], ["0.0.0.0/1", "128.0.0.0/1"], ["192.0.2.0/24", "2000::/3"]],
    [["10.0.0.0/8", "192.0.2.0/24"]],
  ],
  "a price": [
    ["host.maxMonthly"],
    [0, "ten", true, "", "Infinity", "1e9", "0x40", "24,50", "25 EUR", " 25", 1e9, -1],
    [42, 24.5, "24.50"],
  ],
  "a minimum": [["host.minimums.memoryGb"], [0, 4096, "4"], [4, 512]],
  "a server's number": [["host.importId"], ["web1", 0, true], [7, "52"]],
  locations: [["host.locations"], [[], ["a b"]], [["fra1"]]],
  "an acknowledgement": [["orchestrator.firstMove", "sync.unverifiedChain"], [true, "yes"], ["acknowledged"]],
};

const cases = (of: 1 | 2) =>
  Object.values(kinds).flatMap((kind) => kind[0].flatMap((path) => kind[of].map((value) => ({ path, value }))));

test.each(cases(1))("$path refuses $value", ({ path, value }) => {
  const faults = JSON.stringify(parseWith(path, value));
  expect(faults).toContain(`"pillar-host:${path}`);
  expect(faults).not.toMatch(/s3cretpw|\$\(id\)/);
});

test.each(cases(2))("$path accepts $value", ({ path, value }) => {
  expect(parseWith(path, value)).not.toHaveProperty("faults");
});

test.each([
  ["host.hostKey", `  ${key} root@old host \n`, key],
  ["host.hostKey", `203.0.113.7 ${key}`, key],
  ["host.hostKey", `${key} "},"x":"`, key],
  ["host.hostKey", `ssh-x"},"stage":"y ${key}`, key],
  ["host.maxMonthly", "24.50", 24.5],
  ["host.importId", 52, "52"],
  ["controller.release.sha256", hex.toUpperCase(), hex],
  ["sync.deadline", "90s", 90_000],
  ["sync.deadline", "1.5h", 5_400_000],
  ["sync.deadline", "7d", 604_800_000],
])("turns %s: %j into %j", (path, value, parsed) => {
  const { config } = parseWith(path, value) as { config: unknown };
  expect(findValue(config, path.split("."))).toBe(parsed);
});
