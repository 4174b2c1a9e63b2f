import { describe, expect, test } from "vitest";
import { configOf, faultsOf } from "../../components/exampleConfig";

const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const from = { address: "198.51.100.9", hostKey };
const migrate = (changes: object = {}) => ({ orchestrator: { migrateFrom: { ...from, ...changes } } });

describe("the orchestrator's old host", () => {
  test("needs an address and a host key; the rest has defaults", () => {
    expect(configOf(migrate()).orchestrator.migrateFrom).toEqual(from);
    expect(configOf(migrate({ hostKey: `198.51.100.9 ${hostKey} root@old` })).orchestrator.migrateFrom).toEqual(from);
    expect(faultsOf({ orchestrator: { migrateFrom: {} } })).toEqual([
      "pillar-host:orchestrator.migrateFrom.address: missing, needed the host's IP address or name (pulumi config set --path pillar-host:orchestrator.migrateFrom.address -s prod ADDRESS)",
      "pillar-host:orchestrator.migrateFrom.hostKey: missing, needed the host's ssh key (pulumi config set --path pillar-host:orchestrator.migrateFrom.hostKey -s prod 'ssh-ed25519 AAAA…')",
    ]);
  });

  test("reports all faults at once by key, without a secret's value", () => {
    expect(
      faultsOf({
        orchestrator: {
          attempt: 0,
          steadySeconds: 0,
          startTimeout: "5s",
          migrateFrom: {
            ...from,
            port: 0,
            privateKey: "s3cret",
            noKeyShare: true,
            haltedBridge: "yes",
            directory: "~/.orchestrator",
            sudopassword: "x",
          },
          release: { url: "http://release.example/o.zip", version: "0.0.9" },
        },
      }),
    ).toEqual([
      "pillar-host:orchestrator.release.version: found 0.0.9, needed the release's version, such as v0.0.9 or v0.0.9a",
      "pillar-host:orchestrator.release.sha256: needed because the address is plain http: the release runs as root, and anybody on the network path could replace it",
      "pillar-host:orchestrator.migrateFrom.port: found 0, needed at least 1",
      "pillar-host:orchestrator.migrateFrom.privateKey: needed a private key (-----BEGIN OPENSSH PRIVATE KEY-----…)",
      'pillar-host:orchestrator.migrateFrom.directory: found ~/.orchestrator, needed an absolute path of letters, digits, ".", "_" and "-", without "." or ".." as a folder and without "/" at its end',
      "pillar-host:orchestrator.migrateFrom.noKeyShare: found true, needed the word acknowledged, or nothing",
      "pillar-host:orchestrator.migrateFrom.haltedBridge: found yes, needed the word acknowledged, or nothing",
      "pillar-host:orchestrator.migrateFrom.sudopassword: no such key; did you mean sudoPassword?",
      "pillar-host:orchestrator.startTimeout: found 5s, needed a duration of at least 1m, such as 90s, 12h or 7d",
      "pillar-host:orchestrator.steadySeconds: found 0, needed at least 1",
      "pillar-host:orchestrator.attempt: found 0, needed at least 1",
    ]);
  });

  test("refuses a directory in which no orchestrator works", () => {
    const needed = "needed the folder .orchestrator of the orchestrator's home, as /root/.orchestrator";
    expect(
      faultsOf({ orchestrator: { directory: "/data/signer", migrateFrom: { ...from, directory: "/o" } } }),
    ).toEqual([
      `pillar-host:orchestrator.directory: found /data/signer, ${needed}`,
      `pillar-host:orchestrator.migrateFrom.directory: found /o, ${needed}`,
    ]);
    expect(faultsOf(migrate({ directory: "/home/op/.orchestrator" }))).toEqual([]);
  });

  test("reports a key that can't be opened before it reaches the host", () => {
    const privateKey = "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n";
    expect(faultsOf(migrate({ privateKey }))[0]).toMatch(
      /^pillar-host:orchestrator\.migrateFrom\.privateKey: cannot be read/,
    );
  });

  test("is required for a rollback", () => {
    expect(faultsOf({ orchestrator: { rollback: true } })).toEqual([
      "pillar-host:orchestrator.rollback: found true without orchestrator.migrateFrom: needed the host that the orchestrator moves back to (pulumi config set --path pillar-host:orchestrator.migrateFrom.address -s prod ADDRESS)",
    ]);
  });
});

test("requires named networks for the orchestrator's RPC, and refuses everybody", () => {
  expect(configOf({ orchestrator: { rpcFrom: ["192.0.2.0/24"] } }).orchestrator.rpcFrom).toEqual(["192.0.2.0/24"]);
  expect(faultsOf({ orchestrator: { rpcFrom: ["0.0.0.0/0", "192.0.2.1"] } })).toEqual([
    "pillar-host:orchestrator.rpcFrom.0: lets everybody ask: the orchestrator gives two answers a second in all, and anybody could use them up",
    "pillar-host:orchestrator.rpcFrom.1: found 192.0.2.1, needed a network in CIDR form, such as 192.0.2.1/32 for one address or 192.0.2.0/24",
  ]);
});
