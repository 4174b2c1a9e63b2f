import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findPlainSecrets, hasMixedBlock, listSecretKeys, readStackFile } from "../../../core/config/secretKeys";

const raw = { ssh: { user: "op", privateKey: "KEY" }, notify: "https://ntfy.example/topic", pillar: { name: "Anvil" } };

test("lists the schema's secret keys", () => {
  const login = ["privateKey", "privateKeyPassword", "password"];
  const proxy = login.map((key) => `proxy.${key}`);
  const logins = (block: string, last = [...proxy, "sudoPassword"]) =>
    [...login, ...last].map((key) => `${block}.${key}`);
  expect(listSecretKeys().map((path) => path.join("."))).toEqual([
    "host.token",
    ...logins("ssh", ["sudoPassword", ...proxy]),
    ...logins("sync.oldHost"),
    "notify",
    "heartbeat",
    ...logins("orchestrator.migrateFrom"),
    ...logins("retirement.successor"),
  ]);
});

test("names secrets that were set without --secret, and does not show them", () => {
  expect(findPlainSecrets(raw, () => false, "prod")).toEqual([
    "pillar-host:ssh.privateKey is in Pulumi.prod.yaml as plain text. Set it again with: pulumi config set --secret --path pillar-host:ssh.privateKey -s prod",
    "pillar-host:notify is in Pulumi.prod.yaml as plain text. Set it again with: pulumi config set --secret --path pillar-host:notify -s prod",
  ]);
});

test("does not name secrets that were set with --secret", () => {
  expect(findPlainSecrets(raw, () => true, "prod")).toEqual([]);
  expect(findPlainSecrets({ pillar: { name: "Anvil" }, ssh: "wrong" }, () => false, "prod")).toEqual([]);
});

test("names a nested secret by its whole path", () => {
  const deep = { orchestrator: { migrateFrom: { address: "198.51.100.9", sudoPassword: "pw" } } };
  expect(findPlainSecrets(deep, () => false, "prod")).toEqual([
    "pillar-host:orchestrator.migrateFrom.sudoPassword is in Pulumi.prod.yaml as plain text. Set it again with: pulumi config set --secret --path pillar-host:orchestrator.migrateFrom.sudoPassword -s prod",
  ]);
});

test("names a plain secret beside an encrypted one, although the engine marks the whole block", () => {
  const mixed = { ssh: { privateKey: "KEY", sudoPassword: "hunter2" } };
  const directory = mkdtempSync(join(tmpdir(), "written-"));
  const file = `config:
  pillar-host:ssh:
    privateKey:
      secure: v1:abc
    sudoPassword: hunter2
  aws:region: x
`;
  writeFileSync(join(directory, "Pulumi.prod.yaml"), file);
  const written = readStackFile(directory, "prod");
  const nowhere = readStackFile(directory, "prod-2");
  rmSync(directory, { recursive: true });
  expect(written).toEqual({ ssh: { privateKey: { secure: "v1:abc" }, sudoPassword: "hunter2" } });
  expect(nowhere).toBeUndefined();
  expect(findPlainSecrets(mixed, () => true, "prod", written)).toEqual([
    "pillar-host:ssh.sudoPassword is in Pulumi.prod.yaml as plain text. Set it again with: pulumi config set --secret --path pillar-host:ssh.sudoPassword -s prod",
  ]);
  expect(findPlainSecrets(mixed, () => true, "prod", nowhere)).toEqual([]);
});

test("reads the file only if a block has several secrets, some of them encrypted", () => {
  expect(hasMixedBlock({ ssh: { privateKey: "KEY", sudoPassword: "pw" } }, () => true)).toBe(true);
  expect(hasMixedBlock({ ssh: { privateKey: "KEY", sudoPassword: "pw" } }, () => false)).toBe(false);
  expect(hasMixedBlock({ ssh: { privateKey: "KEY" }, notify: "https://x" }, () => true)).toBe(false);
});
