import fc from "fast-check";
import { expect, test } from "vitest";
import { parseConfig } from "../../../core/config/config.ts";
import { faultsOf, least } from "../../components/exampleConfig.ts";

const host = (changes: object) => ({ host: { ...least.host, ...changes } });
const secret = (key: string) => `(pulumi config set --secret --path pillar-host:${key} -s prod)`;

test("reports every missing block of an empty configuration", () => {
  expect(parseConfig({}, "prod")).toEqual({
    faults: [
      "pillar-host:pillar: missing, needed: The Pillar whose host this is",
      "pillar-host:host: missing, needed: Where the host comes from, and what it must have",
      "pillar-host:ssh: missing, needed: The login. It needs the ssh agent, a key's file, a private key or a password",
    ],
  });
});

test("reports every key that is missing, misspelt, of the wrong type or out of range at once", () => {
  const wrong = { ssh: { agent: "true" }, sync: { deadline: "10s" }, lifecyle: "active" };
  expect(faultsOf({ pillar: {}, host: { provider: "hetzner", plam: "x" }, ...wrong })).toEqual([
    "pillar-host:pillar.name: missing, needed: The Pillar's name, as registered on chain",
    `pillar-host:host.token: missing, needed: An API token with read and write permission. The token of the provider's own Pulumi plugin (\`hcloud:token\`, \`digitalocean:token\`) works as well ${secret("host.token")}`,
    "pillar-host:host.plam: no such key",
    'pillar-host:ssh.agent: found "true", needed true or false, without quotes in the stack\'s file',
    'pillar-host:sync.deadline: found "10s", needed a duration from 1m to 365d, such as 90s, 12h or 7d',
    "pillar-host:lifecyle: no such key",
  ]);
});

test.each([
  [{ pilar: {} }, "pilar: no such key"],
  [{ sync: { deadlines: "1h" } }, "sync.deadlines: no such key"],
  [host({ minimums: { core: 1 } }), "host.minimums.core: no such key"],
  [{ node: { zzzzzzzzzz: 1 } }, "node.zzzzzzzzzz: no such key"],
  [host({ token: "x" }), "host.token: no such key with this host.provider"],
  [
    { "sync.deadline": "7d" },
    "sync.deadline: was set without --path. Set it again with --path, then: pulumi config rm pillar-host:sync.deadline -s prod",
  ],
])("refuses an unknown key: %j", (changes, fault) => {
  expect(faultsOf(changes)).toEqual([`pillar-host:${fault}`]);
});

test.each([
  [{ pillar: "Anvil" }, "pillar: found text, needed a block"],
  [{ pillar: { name: "Anvil " } }, 'pillar.name: found "Anvil ", needed the Pillar\'s name as registered on chain'],
  [{ pillar: { name: 7 } }, "pillar.name: found 7, needed text, in quotes in the stack's file"],
  [
    { node: { rpcPort: "35997" } },
    'node.rpcPort: found "35997", needed a number, without quotes in the stack\'s file (port)',
  ],
  // So the engine's `config set --path` writes it.
  [
    host({ minimums: { memoryGb: "7.5" } }),
    'host.minimums.memoryGb: found "7.5", needed a number, without quotes in the stack\'s file',
  ],
  [
    { sync: { hourlyRestart: "true" } },
    'sync.hourlyRestart: found "true", needed true or false, without quotes in the stack\'s file',
  ],
  [{ sync: { references: "5" } }, 'sync.references: found "5", needed a list'],
  [{ controller: { release: "x" } }, "controller.release: found text, needed a block"],
  [{ sync: { confirmations: 1.5 } }, "sync.confirmations: found 1.5, needed a whole number"],
  [
    { sync: { deadline: 7 } },
    "sync.deadline: found 7, needed text, in quotes in the stack's file (duration of at least 1m)",
  ],
  [{ sync: { references: "http://203.0.113.8:35997" } }, "sync.references: found text, needed a list"],
  [{ sync: null }, "sync: found nothing, needed a block"],
  [
    { ssh: { password: 12345 } },
    `ssh.password: found a number, needed text, in quotes in the stack's file ${secret("ssh.password")}`,
  ],
  [
    host({ hostKey: "" }),
    "host.hostKey: missing, needed a line such as `ssh-ed25519 AAAA…` (get it with: ssh-keyscan -t ed25519 ADDRESS)",
  ],
  [{ lifecycle: "retired" }, 'lifecycle: found "retired", needed active or adopted or retiring'],
  [{ lifecycle: "hunter2!" }, 'lifecycle: found "hunter2!", needed active or adopted or retiring'],
  [host({ provider: "aws" }), 'host.provider: found "aws", needed existing or hetzner or digitalocean'],
  [{ host: { address: "a" } }, "host.provider: missing, needed existing or hetzner or digitalocean"],
  [{ sync: { wait: "once" } }, 'sync.wait: found "once", needed block or check or await'],
  [{ sync: { unverifiedChain: true } }, "sync.unverifiedChain: found true, needed the word acknowledged, or nothing"],
  [{ node: { rpcPort: 0 } }, "node.rpcPort: found 0, needed at least 1"],
  [{ node: { rpcPort: 65536 } }, "node.rpcPort: found 65536, needed at most 65535"],
  [{ sync: { stallMinutes: 0 } }, "sync.stallMinutes: found 0, needed more than 0"],
])("names what it found and what is needed: %j", (changes, fault) => {
  expect(faultsOf(changes)).toEqual([`pillar-host:${fault}`]);
});

test("a fault shows no secret", () => {
  const ssh = { user: "a b", privateKey: "hunter2-key", password: ["hunter2"], sudoPassword: { is: "hunter2" } };
  const faults = faultsOf({ ssh });
  expect(faults.length).toBeGreaterThan(2);
  expect(faults.join("\n")).not.toContain("hunter2");
});

test("a fault shows no part of an address that may be a secret", () => {
  const word = fc.string({ unit: fc.constantFrom(..."abcdefXYZ0123456789"), minLength: 12, maxLength: 24 });
  const form = fc.constantFrom(
    ...["https://user:S@a.example/x", "http://S@192.0.2.1", "https:S@a.example", "s3://k:S@bucket"],
    ...["https://a.example:S/x", "ftp://S/x", "S@a.example"],
  );
  const change = fc.constantFrom(
    (text: string) => ({ sync: { references: [text] } }),
    (text: string) => ({ controller: { release: { url: text } } }),
    (text: string) => ({ controller: { ...least.controller, addresses: [text] } }),
    (notify: string) => ({ notify }),
    (store: string) => ({ store }),
    (address: string) => host({ address }),
    (rpcAddress: string) => ({ node: { rpcAddress } }),
  );
  fc.assert(
    fc.property(word, form, change, (hidden, shape, withText) => {
      const parsed = parseConfig({ ...least, ...withText(shape.replace("S", hidden)) }, "prod");
      expect("faults" in parsed && parsed.faults.length > 0).toBe(true);
      expect(JSON.stringify(parsed)).not.toContain(hidden);
    }),
  );
});
