import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseConfig } from "../../../core/config/config";
import { readKeyFiles } from "../../../core/config/keyFiles";
import { least } from "../../components/exampleConfig";
import { keyPair } from "../chain/fakes";

const pair = keyPair();

describe("withKeyFiles", () => {
  test("reads the file of each login, ~ is the home", () => {
    const text = (path: string) => `-----BEGIN OPENSSH PRIVATE KEY----- ${path}`;
    const read = (path: string) => ({ text: text(path) });
    const raw = {
      ssh: { privateKeyFile: "~/.ssh/id_ed25519" },
      orchestrator: { migrateFrom: { address: "198.51.100.9", privateKeyFile: "/keys/old" } },
      retirement: { successor: { privateKeyFile: "/keys/new" } },
    };
    const { raw: values, faults } = readKeyFiles(raw, read);
    expect(faults).toEqual([]);
    expect(values).toEqual({
      ssh: { ...raw.ssh, privateKey: text(join(homedir(), ".ssh/id_ed25519")) },
      orchestrator: { migrateFrom: { ...raw.orchestrator.migrateFrom, privateKey: text("/keys/old") } },
      retirement: { successor: { ...raw.retirement.successor, privateKey: text("/keys/new") } },
    });
    expect(raw.ssh).not.toHaveProperty("privateKey");
  });

  test("changes no login without a file", () => {
    const raw = { ssh: { agent: true }, orchestrator: "none", retirement: { successor: null } };
    expect(readKeyFiles(raw)).toEqual({ raw, faults: [] });
  });
});

describe("a stack whose login is a key's file", () => {
  let place: string;
  const file = (name: string, text: string) => {
    writeFileSync(join(place, name), text, { mode: 0o600 });
    return join(place, name);
  };
  const parsed = (login: Record<string, unknown>) => parseConfig({ ...least, ssh: login }, "prod");

  beforeAll(() => {
    place = mkdtempSync(join(tmpdir(), "pillar-host-keys-"));
  });
  afterAll(() => rmSync(place, { recursive: true }));

  test("has the key as if it were pasted", () => {
    const privateKeyFile = file("key", pair.private);
    expect(parsed({ privateKeyFile })).toMatchObject({
      config: { ssh: { privateKeyFile, privateKey: `${pair.private.trim()}\n`, user: "root" } },
    });
  });

  test.each([
    ["is not there", () => join(place, "none"), (at: string) => `${at} does not exist on this machine; needed`],
    ["is a directory", () => place, (at: string) => `${at} is a directory; needed`],
    [
      "is the public one",
      () => file("key.pub", "ssh-ed25519 AAAA me"),
      (at: string) => `${at} is a public key; needed the private one: the file without .pub`,
    ],
    ["is something else", () => file("notes", "my notes"), (at: string) => `${at} is no ssh key; needed`],
    [
      "is cut off",
      () => file("torn", pair.private.slice(0, 60)),
      () => "cannot be read: truncated, of a hardware token, or of an unknown kind?",
    ],
  ])("gets a fault if the file %s", (_, make, told) => {
    const privateKeyFile = make();
    const result = parsed({ privateKeyFile });
    expect(result).toEqual({
      faults: [expect.stringContaining(`pillar-host:ssh.privateKeyFile: ${told(privateKeyFile)}`)],
    });
  });

  test("gets a fault for two keys, together with all other faults", () => {
    const privateKeyFile = file("key", pair.private);
    expect(parseConfig({ ...least, pillar: {}, ssh: { privateKeyFile, privateKey: pair.private } }, "prod")).toEqual({
      faults: [
        "pillar-host:pillar.name: missing, needed the Pillar's name, as registered on chain (pulumi config set --path pillar-host:pillar.name -s prod NAME)",
        "pillar-host:ssh.privateKeyFile: found privateKey, too; needed one of the two",
      ],
    });
  });
});
