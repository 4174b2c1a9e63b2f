import { expect, test } from "vitest";
import { securedAt, withSecured } from "../lab/stackSecrets";

const value = { secure: "v1:abc" };

test.each([
  ["notify", { "pillar-host:notify": value }],
  ["ssh.privateKey", { "pillar-host:ssh": { privateKey: value } }],
  ["orchestrator.migrateFrom.password", { "pillar-host:orchestrator": { migrateFrom: { password: value } } }],
])("an encrypted value goes to %s, and is found there again", (path, expected) => {
  const config = withSecured({}, path, value);
  expect(config).toEqual(expected);
  expect(securedAt(config, path)).toEqual(value);
});

test("what is beside it stays, and what was given is not changed", () => {
  const config = { "pillar-host:ssh": { user: "op" }, "hcloud:token": "t" };
  expect(withSecured(config, "ssh.privateKey", value)).toEqual({
    "pillar-host:ssh": { user: "op", privateKey: value },
    "hcloud:token": "t",
  });
  expect(config["pillar-host:ssh"]).toEqual({ user: "op" });
});

test.each([{}, { "pillar-host:ssh": { privateKey: "plain" } }])(
  "a value that is not encrypted is an error",
  (config) => {
    expect(() => securedAt(config, "ssh.privateKey")).toThrow(
      "the stack's file holds no encrypted value at pillar-host:ssh.privateKey",
    );
  },
);
