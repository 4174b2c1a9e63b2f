import { expect, test } from "vitest";
import { openStackKey, withSecured } from "../lab/stack/stackSecrets";

const value = { secure: "v1:abc" };

test.each([
  ["notify", { "pillar-host:notify": value }],
  ["ssh.privateKey", { "pillar-host:ssh": { privateKey: value } }],
  ["orchestrator.migrateFrom.password", { "pillar-host:orchestrator": { migrateFrom: { password: value } } }],
])("an encrypted value goes to %s", (path, expected) => {
  expect(withSecured({}, path, value)).toEqual(expected);
});

test("other entries stay, and the input is not changed", () => {
  const config = { "pillar-host:ssh": { user: "op" }, "hcloud:token": "t" };
  const secured = { "pillar-host:ssh": { user: "op", privateKey: value }, "hcloud:token": "t" };
  expect(withSecured(config, "ssh.privateKey", value)).toEqual(secured);
  expect(config["pillar-host:ssh"]).toEqual({ user: "op" });
});

/** The engine wrote both for a stack with the pass phrase "one of a test". */
const salt = "v1:LKRlZJS/SWA=:v1:3DTSqvVorgvBh/Yp:TSZgSzaLfjTi2exI6fuwL4qU+ols7w==";
const secure = "v1:vGMC0I2kFRndMiuU:ZAatvjiuP5xu9FO9H2klxvUXMeDSKlNS";

test("a stack's key decrypts what the engine and itself encrypted, each time to another text", async () => {
  const key = await openStackKey(salt, "one of a test");
  expect(key.decrypt(secure)).toBe("größer");
  const [first, second] = [key.encrypt("größer"), key.encrypt("größer")];
  expect(first).not.toBe(second);
  expect([key.decrypt(first), key.decrypt(second)]).toEqual(["größer", "größer"]);
});

test("another pass phrase, or none, gives no key", async () => {
  await expect(openStackKey(salt, "another one")).rejects.toThrow();
  await expect(openStackKey("", "one of a test")).rejects.toThrow("is not v1:salt:proof, but ");
});
