import { expect, test } from "vitest";
import { filledExport, filledIn, strippedExport, withPlaceholders } from "../lab/upgradeFixture";

const values = { newAddress: "10.77.0.1", oldAddress: "10.77.0.12", privateKey: "-----BEGIN\nab\n" };
const own = { newAddress: "192.0.2.1", oldAddress: "192.0.2.12", privateKey: "-----BEGIN\ncd\n" };
const secret = (text: string) => ({ sig: "secret", plaintext: JSON.stringify(text) });
const state = (host: string, key: string, code: string) =>
  JSON.stringify({
    version: 3,
    deployment: {
      secrets_providers: { state: "salt" },
      resources: [{ outputs: { host, key: secret(key), code }, sourcePosition: "project:///here" }],
    },
  });

test("a lab's values become placeholders, the longer one first, and another lab's values", () => {
  const text = withPlaceholders("from 10.77.0.12 to 10.77.0.1", values);
  expect(text).toBe("from {{oldAddress}} to {{newAddress}}");
  expect(filledIn(text, own)).toBe("from 192.0.2.12 to 192.0.2.1");
});

test("one that the lab has no value for is said", () => {
  expect(() => filledIn("{{other}}", own)).toThrow("the fixture names {{other}}");
});

test("an export keeps no secret of its lab and no code, and is protected by the pass phrase of the stack that imports it", () => {
  const stripped = strippedExport(state("at 10.77.0.1", values.privateKey, "x".repeat(3000)), values);
  expect(stripped).not.toContain("BEGIN");
  expect(stripped).not.toMatch(/salt|project:/);
  const filled = JSON.parse(filledExport(stripped, state("", "", ""), own));
  expect(filled.deployment).toEqual({
    secrets_providers: { state: "salt" },
    resources: [{ outputs: { host: "at 192.0.2.1", key: secret(own.privateKey), code: "code of then: 3000 letters" } }],
  });
});
