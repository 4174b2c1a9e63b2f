import { describe, expect, test } from "vitest";
import { parseConfig } from "../../../core/config/config";
import { requiredKeys, standIns } from "../../../core/config/corrections";
import { stackSchema } from "../../../core/config/stackSchema";
import { faultsOf, least } from "../../components/exampleConfig";

const faults = (raw: Record<string, unknown>) => {
  const parsed = parseConfig(raw, "prod");
  return "faults" in parsed ? parsed.faults : [];
};
/** The key of each fault. */
const keys = (raw: Record<string, unknown>) => faults(raw).map((fault) => fault.split(": ")[0]?.slice(12));
const set = "pulumi config set --path pillar-host:";

describe("one round tells all", () => {
  test("what a cloud needs beside a block that is missing", () => {
    expect(keys({ host: { provider: "hetzner" } })).toEqual([
      "pillar",
      "host.token",
      "ssh",
      "controller.release.url",
      "host.sshFrom",
      "sync.references",
    ]);
  });

  test("how keys fit together beside a key that does not exist, and one of the wrong type", () => {
    const host = { provider: "hetzner", token: "a".repeat(64), sshFrom: ["198.51.100.7/32"], plam: "x" };
    expect(keys({ ...least, host, ssh: { agent: "true", port: 2222 } })).toEqual([
      "host.plam",
      "ssh.agent",
      "ssh.privateKeyFile",
      "ssh.port",
    ]);
  });

  test("a login is asked for beside a misspelt key of its block, but not where that key is the login", () => {
    expect(keys({ ...least, ssh: { prot: 22 } })).toEqual(["ssh.prot", "ssh"]);
    expect(keys({ ...least, ssh: { agnet: true } })).toEqual(["ssh.agnet"]);
  });

  test("a value is checked under the name that was meant", () => {
    expect(keys({ ...least, sync: { ...least.sync, deadlin: "1s" }, lifecycle: "Active", controller: {} })).toEqual([
      "lifecycle",
      "sync.deadlin",
      "sync.deadline",
      "controller.release.url",
    ]);
  });

  test("what only stands in for a missing value has no faults", () => {
    expect(keys({ ...least, host: undefined, retirement: { afterwards: "poweroff" } })).toEqual(["host"]);
    expect(keys({ ...least, host: { provider: "aws", token: "x" } })).toEqual(["host.provider"]);
    expect(keys({ ...least, ssh: { password: ["x"] } })).toEqual(["ssh.password"]);
  });

  test("each required key has a stand-in", () => {
    const isChosen = (key: string) => key === "host.provider";
    expect(requiredKeys(stackSchema).filter((key) => !standIns.has(key) && !isChosen(key))).toEqual([]);
  });
});

describe("what `pulumi config set` makes of words", () => {
  test.each([
    [
      { pillar: { name: true } },
      "pillar.name: found the word true, needed text (pulumi config set --type string --path pillar-host:pillar.name true -s prod)",
    ],
    [
      { sync: { confirmSeconds: "1.5" } },
      "sync.confirmSeconds: found the text 1.5, needed a number (pulumi config rm --path pillar-host:sync.confirmSeconds -s prod && pulumi config set --type float --path pillar-host:sync.confirmSeconds 1.5 -s prod)",
    ],
    [
      { cutover: { wait: "No" } },
      `cutover.wait: found the text No, needed true or false (pulumi config rm --path pillar-host:cutover.wait -s prod && ${set}cutover.wait false -s prod)`,
    ],
    [{ cutover: { wait: 1 } }, "cutover.wait: found the number 1, needed true or false"],
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
      `sync.deadline: was set without --path, which makes it a key of its own. Move it: ${set}sync.deadline -s prod "$(pulumi config get pillar-host:sync.deadline -s prod)" && pulumi config rm pillar-host:sync.deadline -s prod`,
    ],
    [
      { "ssh.sudoPassword": "x" },
      "ssh.sudoPassword: was set without --path, which makes it a key of its own. Move it: pulumi config set --secret --path pillar-host:ssh.sudoPassword -s prod && pulumi config rm pillar-host:ssh.sudoPassword -s prod",
    ],
  ])("%j", (changes, fault) => {
    expect(faultsOf(changes)).toEqual([`pillar-host:${fault}`]);
  });
});

describe("keys that were set without --path", () => {
  const moved = (key: string, type = "") =>
    `pillar-host:${key}: was set without --path, which makes it a key of its own. Move it: pulumi config set ${type}--path pillar-host:${key} -s prod "$(pulumi config get pillar-host:${key} -s prod)" && pulumi config rm pillar-host:${key} -s prod`;

  test("are moved; their block is not called missing beside them, nor their type wrong, which the move sets right", () => {
    const all = {
      "pillar.name": "Anvil",
      "host.provider": "existing",
      "host.address": "203.0.113.7",
      "ssh.agent": "true",
      "node.rpcPort": "35997",
      "controller.release.url": "https://release.example/c.zip",
      "sync.unverifiedChain": "acknowledged",
    };
    expect(faults(all)).toEqual(Object.keys(all).map((key) => moved(key)));
  });

  test("what is still missing beside them is told", () => {
    expect(keys({ ...least, host: undefined, "host.address": "203.0.113.7" })).toEqual([
      "host.address",
      "host.provider",
    ]);
    expect(keys({ ...least, pillar: undefined, "pilar.name": "Anvil" })).toEqual(["pillar", "pilar.name"]);
  });

  test("a name of digits is moved as text: --path would make a number of it", () => {
    expect(faults({ ...least, pillar: undefined, "pillar.name": "2048" })).toEqual([
      moved("pillar.name", "--type string "),
    ]);
  });
});

describe("a choice", () => {
  test("that is nearly one of its words is told which", () => {
    expect(faultsOf({ host: { provider: "Existng", address: "203.0.113.7" } })).toEqual([
      `pillar-host:host.provider: found Existng, needed existing, hetzner or digitalocean. Did you mean existing? ${set}host.provider existing -s prod`,
    ]);
    expect(faultsOf({ host: { address: "203.0.113.7" } })).toEqual([
      `pillar-host:host.provider: missing, needed existing, hetzner or digitalocean (${set}host.provider existing -s prod)`,
    ]);
  });

  test("shows nothing that may be a secret in the wrong place", () => {
    expect(faultsOf({ lifecycle: "hunter2!" })).toEqual([
      "pillar-host:lifecycle: found text, needed active, adopted or retiring",
    ]);
  });
});

describe("a key of another provider", () => {
  const digitalocean = { provider: "digitalocean", token: "dop_v1_0", sshFrom: ["198.51.100.7/32"] };
  const ssh = { privateKeyFile: undefined, agent: true };

  test("is named with those that have it", () => {
    expect(faultsOf({ host: { ...least.host, token: "x" } })).toEqual([
      "pillar-host:host.token: is for hetzner and digitalocean; found host.provider existing (pulumi config rm --path pillar-host:host.token -s prod)",
    ]);
  });

  test("as a block of its name", () => {
    expect(faultsOf({ host: { ...digitalocean, hetzner: { token: "x" } }, ssh })[0]).toBe(
      "pillar-host:host.hetzner: no such block: the keys of hetzner stand in pillar-host:host itself, with host.provider hetzner; found host.provider digitalocean (pulumi config rm --path pillar-host:host.hetzner -s prod)",
    );
  });
});
