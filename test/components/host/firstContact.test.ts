import { expect, test } from "vitest";
import { createContactArgs } from "../../../components/host/firstContact.ts";
import { configOf } from "../exampleConfig.ts";

const otherKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFGSBtGbUCwrGN7Gq8VzKQVWmBcQTTWqvSAZ8qkzNQVS";
const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAabcdefabcdefabcdefabcdefabcdefabcdefabcdef";

/** Returns the hash of the work, with a secret wherever the configuration takes one. */
function workOf(secret: string, address = "203.0.113.7", program?: string): string {
  const login = { password: secret, sudoPassword: secret, user: "op" };
  const config = configOf({
    host: { provider: "existing", address, hostKey },
    ssh: login,
    notify: `https://ntfy.example/${secret}`,
    oldHost: { ...login, address: "198.51.100.9", hostKey: otherKey },
    retirement: { successor: { ...login, address: "198.51.100.10", hostKey: otherKey } },
  });
  return createContactArgs(config, true, program).work;
}

test("hashes the work without a secret, wherever one is configured", () => {
  expect(workOf("hunter2")).toBe(workOf("hunter3"));
});

test("hashes other work, and another program, differently: the login is tried before its steps", () => {
  expect(workOf("hunter2")).not.toBe(workOf("hunter2", "203.0.113.8"));
  expect(workOf("hunter2", undefined, "one")).not.toBe(workOf("hunter2", undefined, "other"));
});

test("names the settings whose secrets go to a host with an unknown key: a password, and a move's copies", () => {
  const oldHost = { address: "198.51.100.9", hostKey: otherKey };
  const secretsOf = (move: boolean) => createContactArgs(configOf({ oldHost, orchestrator: { move } }), true).secrets;
  expect(secretsOf(false)).toEqual(["pillar-host:ssh.password"]);
  expect(secretsOf(true)).toEqual(["pillar-host:ssh.password", "pillar-host:orchestrator.move"]);
});
