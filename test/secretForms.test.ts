import { expect, test } from "vitest";
import { kindsIn } from "../lab/testRun/secretForms.ts";

const password = `a"B\\c'D <e&f>$%g`;
const secrets = [{ kind: "a password", text: password }];
const found = (printed: string) => kindsIn(`before ${printed} after`, secrets);

test.each<[string, string]>([
  ["as it is", password],
  ["in JSON", JSON.stringify({ password })],
  ["in JSON within JSON", JSON.stringify({ body: JSON.stringify({ password }) })],
  ["in JSON as Go writes it", '{"password":"a\\"B\\\\c\'D \\u003ce\\u0026f\\u003e$%g"}'],
  ["in an address", `https://h/?password=${encodeURIComponent(password)}`],
  ["in a form", new URLSearchParams({ password }).toString()],
  ["in base64", Buffer.from(password).toString("base64")],
  ["in base64 of more, at the second place", Buffer.from(`x${password} and more`).toString("base64")],
  ["in base64 of more, at the third place", Buffer.from(`xy${password} and more`).toString("base64url")],
  ["for a shell, with backslashes", "a\\\"B\\\\c\\'D\\ \\<e\\&f\\>\\$%g"],
  ["for a shell, in single quotes", `'a"B\\c'\\''D <e&f>$%g'`],
  ["for a shell, in double quotes", `"a\\"B\\\\c'D <e&f>\\$%g"`],
  ["with colours in it", `a"B\\c\u001b[31m'D <e&f>\u001b[39m$%g`],
])("a printed secret is found %s", (_what, printed) => {
  expect(found(printed)).toEqual(["a password"]);
});

test("a printed secret is not found in other texts", () => {
  expect(found(password.slice(0, -1))).toEqual([]);
  expect(found(Buffer.from(password.toLowerCase()).toString("base64"))).toEqual([]);
});

test("a printed secret is found by each of its lines, except the framing ones", () => {
  const [first, second] = ["b3BlbnNzaC1rZXktdjEAAAAA", "QyNTUxOQAAACDq7o8Xk1mNqq"];
  const text = `-----BEGIN OPENSSH PRIVATE KEY-----\n${first}\n${second}\nAQ==\n-----END OPENSSH PRIVATE KEY-----\n`;
  const kinds = (printed: string) => kindsIn(printed, [{ kind: "a key", text }]);
  expect([first, `x${second}y`].map(kinds)).toEqual([["a key"], ["a key"]]);
  expect(["-----BEGIN OPENSSH PRIVATE KEY-----", "AQ=="].flatMap(kinds)).toEqual([]);
});

test("a printed secret is found by its form, whoever created it", () => {
  expect(kindsIn(`AGE-SECRET-KEY-1${"Q".repeat(58)}`, [])).toEqual(["a backup's identity"]);
  expect(kindsIn("AGE-SECRET-KEY-1…", [])).toEqual([]);
  const key = `"-----BEGIN PRIVATE KEY-----\\n${"A".repeat(64)}"`;
  expect(kindsIn(key, [])).toEqual(["a private key"]);
});
