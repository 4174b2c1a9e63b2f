import { expect, test } from "vitest";
import { plainSecrets, secretKeys } from "../../../core/config/secretKeys";

const raw = { ssh: { user: "op", privateKey: "KEY" }, notify: "https://ntfy.example/topic", pillar: { name: "Anvil" } };

test("are these, by the schema", () => {
  const login = ["privateKey", "privateKeyPassword", "password", "sudoPassword"];
  const logins = (block: string) => login.map((key) => `${block}.${key}`);
  expect(secretKeys().map((path) => path.join("."))).toEqual([
    "host.token",
    ...logins("ssh"),
    "notify",
    ...logins("orchestrator.migrateFrom"),
    ...logins("retirement.successor"),
  ]);
});

test("secrets that were set without --secret are named, and not shown", () => {
  expect(plainSecrets(raw, () => false, "prod")).toEqual([
    "pillar-host:ssh.privateKey is in Pulumi.prod.yaml as plain text. Set it again with: pulumi config set --secret --path pillar-host:ssh.privateKey -s prod",
    "pillar-host:notify is in Pulumi.prod.yaml as plain text. Set it again with: pulumi config set --secret --path pillar-host:notify -s prod",
  ]);
});

test("those that were set with it are not", () => {
  expect(plainSecrets(raw, () => true, "prod")).toEqual([]);
  expect(plainSecrets({ pillar: { name: "Anvil" }, ssh: "wrong" }, () => false, "prod")).toEqual([]);
});

test("one inside a block of a block is named by its whole path", () => {
  const deep = { orchestrator: { migrateFrom: { address: "198.51.100.9", sudoPassword: "pw" } } };
  expect(plainSecrets(deep, () => false, "prod")).toEqual([
    "pillar-host:orchestrator.migrateFrom.sudoPassword is in Pulumi.prod.yaml as plain text. Set it again with: pulumi config set --secret --path pillar-host:orchestrator.migrateFrom.sudoPassword -s prod",
  ]);
});
