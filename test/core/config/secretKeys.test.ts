import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findPlainSecrets, listSecretKeys } from "../../../core/config/secretKeys.ts";
import { scratchDirectory } from "../../scratchDirectory.ts";

const scratch = scratchDirectory();

test("lists the schema's secret keys", () => {
  const login = ["privateKey", "privateKeyPassword", "password"];
  const proxy = login.map((key) => `proxy.${key}`);
  const logins = (block: string, last = [...proxy, "sudoPassword"]) =>
    [...login, ...last].map((key) => `${block}.${key}`);
  expect(listSecretKeys().map((path) => path.join("."))).toEqual([
    "host.token",
    ...logins("ssh", ["sudoPassword", ...proxy]),
    ...logins("oldHost"),
    "notify",
    "heartbeat",
    ...logins("retirement.successor"),
  ]);
});

test("names plain secrets of the stack's file by their path, and neither encrypted ones nor values", () => {
  const file = `config:
  pillar-host:notify: https://hunter2.example
  pillar-host:ssh:
    user: op
    privateKey:
      secure: v1:abc
    sudoPassword: hunter2
  pillar-host:oldHost: '{"password":"hunter2"}'
  aws:region: x
`;
  writeFileSync(join(scratch(), "Pulumi.prod.yaml"), file);
  const raw = {
    notify: "https://hunter2.example",
    ssh: { privateKey: "KEY", sudoPassword: "hunter2" },
    oldHost: { password: "hunter2" },
  };
  expect(findPlainSecrets(scratch(), "prod", raw)).toEqual(
    ["ssh.sudoPassword", "oldHost.password", "notify"].map(
      (key) =>
        `pillar-host:${key} is in Pulumi.prod.yaml as plain text. Set it again with: pulumi config set --secret --path pillar-host:${key} -s prod`,
    ),
  );
  expect(findPlainSecrets(scratch(), "prod-2", raw)).toEqual([]);
  expect(findPlainSecrets(scratch(), "prod", { pillar: { name: "Anvil" }, ssh: "wrong" })).toEqual([]);
});
