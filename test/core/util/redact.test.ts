import { expect, test } from "vitest";
import { redactSecrets, redactSecretsAndPaths } from "../../../core/util/redact.ts";
import { formsOf, kindsIn } from "../../../lab/testRun/secretForms.ts";

test("removes secrets whole and line by line, except short lines", () => {
  const key = "-----BEGIN KEY-----\nabcdefghij\n=\n-----END KEY-----\n";
  const redacted = redactSecrets(`a=b ${key} abcdefghij pw`, [key, "pw", undefined, ""]);
  expect(redacted).toBe("a=b [removed] [removed] [removed]");
});

test("removes a secret in JSON, in a URL, and at each place within base64", () => {
  const secret = 'a"B\\c D/é?e&f';
  const encode = (before: string) => Buffer.from(`${before}${secret} and more`);
  const texts = [
    JSON.stringify({ secret }),
    `https://h/?x=${encodeURIComponent(secret)}`,
    ...["", "x", "xy"].flatMap((before) => [encode(before).toString("base64"), encode(before).toString("base64url")]),
  ];
  for (const text of texts) {
    expect(kindsIn(text, [{ kind: "it", text: secret }])).toEqual(["it"]);
    expect(kindsIn(redactSecrets(text, [secret]), [{ kind: "it", text: secret }])).toEqual([]);
  }
  // A short one would be found in any base64.
  expect(formsOf("pw")).toEqual([]);
  expect(redactSecrets("cHcx pw", ["pw"])).toBe("cHcx [removed]");
});

const words = "abandon ability able about above absent absorb abstract absurd abuse access accident";
const hex = "0f".repeat(32);
const base64 = "mJ7/Q2kP+sA0zT9vB5dX8rLhW3nE6yGcU1oRiK4fMqDpYtHj";

test.each([
  [
    "dial wss://eth.example/v3/abcdef: refused\nseed: x y\nok",
    "dial wss://eth.example/[removed] refused\nseed [removed]\nok",
  ],
  ["see postgres://ada:pw@db.example:5432 and", "see postgres://db.example:5432 and"],
  ["https://ada:p@w@h.example/", "https://h.example/"],
  ['{\n  "mnemonic":\n    "x y",\n  "a": 1', '{\n  "mnemonic [removed]\n  "a": 1'],
  ["a\n-----BEGIN X PRIVATE KEY-----\nAAAA\nBB==\n-----END X PRIVATE KEY-----\nb", "a\n[removed]\nb"],
  ['"-----BEGIN KEY-----\\nAAAA\\n-----END KEY-----\\n"', '"[removed]\\n"'],
  ["cut off: -----BEGIN KEY-----\nAAAA\nBB==\n\nb", "cut off: [removed]b"],
  [`key ${hex}, ${base64}`, "key [removed], [removed]"],
  ["AGE-SECRET-KEY-1QQ", "AGE-SECRET [removed]"],
  ["Authorization: Bearer a.b.c\nx-api-key: k", "Authorization [removed]\nx-api-key [removed]"],
  [`the words ${words}.`, "[removed]."],
  [
    words
      .split(" ")
      .map((word) => `"${word}",`)
      .join("\n    "),
    '"[removed]",',
  ],
  [JSON.stringify(words.replaceAll(" ", "\n")), '"[removed]"'],
  [
    "at read (/opt/pillar-host/cli/status/readStatus/andFolders.ts:12:3)",
    "at read (/opt/pillar-host/cli/status/readStatus/andFolders.ts:12:3)",
  ],
  [`/opt/${base64}`, "[removed]"],
  [
    "the node does not run, and its peers are unknown: 8 of 10",
    "the node does not run, and its peers are unknown: 8 of 10",
  ],
])("removes what looks like a secret: %s", (text, left) => {
  expect(redactSecretsAndPaths(text)).toBe(left);
});
