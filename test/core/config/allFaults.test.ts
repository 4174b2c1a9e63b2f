import { describe, expect, test } from "vitest";
import { parseConfig } from "../../../core/config/config";
import { faultsOf, least } from "../../components/exampleConfig";

const faults = (raw: Record<string, unknown>) => {
  const parsed = parseConfig(raw, "prod");
  return "faults" in parsed ? parsed.faults : [];
};
/** Returns the key of each fault. */
const keys = (raw: Record<string, unknown>) => faults(raw).map((fault) => fault.split(": ")[0]?.slice(12));
const set = "pulumi config set --path pillar-host:";
const remove = (key: string) => `pulumi config rm --path pillar-host:${key} -s prod`;

describe("one pass", () => {
  test("reports every key that is missing, misspelt or of the wrong type", () => {
    expect(keys({ host: { provider: "hetzner", plam: "x" }, ssh: { agent: "true" }, lifecyle: "active" })).toEqual([
      ...["pillar", "host.token", "host.plam", "ssh.agent", "lifecyle", "controller.release.url"],
    ]);
  });

  test("checks how keys fit together once each has its type", () => {
    const host = { provider: "hetzner", token: "a".repeat(64), sshFrom: ["198.51.100.7/32"] };
    expect(keys({ ...least, host, ssh: { agent: true, port: 2222 } })).toEqual(["ssh.privateKeyFile", "ssh.port"]);
  });
});

describe("a value of `pulumi config set`", () => {
  test.each([
    [
      { pillar: { name: true } },
      "pillar.name: found true, needed text (pulumi config set --type string --path pillar-host:pillar.name true -s prod)",
    ],
    [
      { sync: { confirmSeconds: "1.5" } },
      `sync.confirmSeconds: found text, needed a number (${remove("sync.confirmSeconds")} && ${set}sync.confirmSeconds -s prod CONFIRMSECONDS)`,
    ],
    [
      { sync: { hourlyRestart: "No" } },
      `sync.hourlyRestart: found text, needed true or false (${remove("sync.hourlyRestart")} && ${set}sync.hourlyRestart -s prod HOURLYRESTART)`,
    ],
    [
      { ssh: { password: 12345 } },
      "ssh.password: found a number, needed text (pulumi config set --secret --path pillar-host:ssh.password -s prod)",
    ],
    [
      { sync: { references: "http://203.0.113.8:35997" } },
      "sync.references: found text, needed a list (pulumi config rm --path pillar-host:sync.references -s prod && pulumi config set --path 'pillar-host:sync.references[0]' -s prod VALUE)",
    ],
    [
      { "sync.deadline": "7d" },
      `sync.deadline: was set without --path, which makes it a key of its own. Set it again: ${set}sync.deadline -s prod DEADLINE && pulumi config rm pillar-host:sync.deadline -s prod`,
    ],
    [
      { "ssh.sudoPassword": "x" },
      "ssh.sudoPassword: was set without --path, which makes it a key of its own. Set it again: pulumi config set --secret --path pillar-host:ssh.sudoPassword -s prod && pulumi config rm pillar-host:ssh.sudoPassword -s prod",
    ],
  ])("gets a fault with the corrected command: %j", (changes, fault) => {
    expect(faultsOf(changes)).toEqual([`pillar-host:${fault}`]);
  });
});

describe("a choice", () => {
  test("names what is needed", () => {
    expect(faultsOf({ host: { provider: "Existng", address: "203.0.113.7" } })).toEqual([
      "pillar-host:host.provider: found Existng, needed existing, hetzner or digitalocean",
    ]);
    expect(faultsOf({ host: { address: "203.0.113.7" } })).toEqual([
      `pillar-host:host.provider: missing, needed existing, hetzner or digitalocean (${set}host.provider existing -s prod)`,
    ]);
  });

  test("shows no value that may be a secret in the wrong place", () => {
    expect(faultsOf({ lifecycle: "hunter2!" })).toEqual([
      "pillar-host:lifecycle: found text, needed active, adopted or retiring",
    ]);
  });
});

test("refuses a key of another provider", () => {
  expect(faultsOf({ host: { ...least.host, token: "x" } })).toEqual([
    "pillar-host:host.token: no such key with host.provider existing; possible keys are provider, address, hostKey, minimums, acceptDistributions",
  ]);
});
