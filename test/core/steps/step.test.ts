import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { formatAssignments } from "../../../core/ssh/shellWords.ts";
import { createEnvelope, type Step } from "../../../core/steps/step.ts";
import { quote } from "../../../core/util/quote.ts";

test.each(["plain", "", "'", "a b", "it's", "$HOME $(id) `id`", "two\nlines", "\\", "*", "-n", "''", "ü€"])(
  "the shell reads %j back as it was",
  (text) => {
    expect(spawnSync("bash", ["-c", `printf %s ${quote(text)}`], { encoding: "utf8" }).stdout).toBe(text);
  },
);

test("assignments are one a line: words, numbers, yes and no, lists with blanks", () => {
  expect(formatAssignments({ a: "it's", b: 7, c: true, d: false, e: [1, "two", 3], f: [], g: "" })).toBe(
    "a='it'\\''s'\nb='7'\nc='yes'\nd='no'\ne='1 two 3'\nf=''\ng=''\n",
  );
  expect(formatAssignments({})).toBe("");
});

const step: Step = { name: "look", limitSeconds: 5, script: "echo hello\n", readsOnly: true };
const to = { hostName: "h", stack: "a b" };
test("the envelope adds `pulumi up` as an error's next command, unless the step only reads", () => {
  const addsNext = (changes: object) => createEnvelope({ ...step, ...changes }, to).includes("again='pulumi up -s");
  expect([addsNext({ readsOnly: false }), addsNext({})]).toEqual([true, false]);
});
