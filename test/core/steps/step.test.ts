import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { frameScript } from "../../../core/ssh/answer";
import { formatAssignments } from "../../../core/ssh/shellWords";
import { readShell } from "../../../core/steps/libraries";
import { createEnvelope, createScript, type Step } from "../../../core/steps/step";
import { quote } from "../../../core/util/quote";

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

test("a script has variables, shared functions and files in order", () => {
  expect(createScript({ a: 1 }, "node/dialog", "node/producerAddress")).toBe(
    `a='1'\n${readShell("lib/common")}\n${readShell("node/dialog")}\n${readShell("node/producerAddress")}`,
  );
});

describe("the envelope", () => {
  const step: Step = { name: "look", limitSeconds: 5, script: "echo hello\n", readsOnly: true };
  const [commands, become, unit] = ["commands", "become", "unit"].map((name) => readShell(`lib/${name}`));
  const to = { hostName: "h", stack: "a b", sudoPassword: "hunter2" };
  const names = "host_name='h'\nstack_word=''\\''a b'\\'''\n";
  const root = (argv: string, input: string) =>
    `${names}login_key='ssh'\nsudo_password='hunter2'\n${commands}${become}\n` +
    `become_root ${argv} <<'PILLAR_HOST_ROOT'\n${frameScript(input, "shown")}PILLAR_HOST_ROOT\n`;

  test("runs a reading step at once, with its time limit", () => {
    const input = `${names}${commands}look() {\necho hello\n\n}\n{ look 2>&1 >&3 | printable >&2; } 3>&1 | printable\n`;
    expect(createEnvelope(step, to)).toBe(root("timeout -k 10 5 bash -euo pipefail -s", input));
  });

  test("runs any other step in a service that outlives the connection", () => {
    const inner = `${names}again='pulumi up -s '\\''a b'\\'''\n${commands}echo hello\n`;
    const input = `${names}step='look'\nlimit_seconds='5'\nnotes='3'\n${commands}main() {\n${unit}}\nmain <<'PILLAR_HOST_STEP'\n${inner}PILLAR_HOST_STEP\n`;
    expect(createEnvelope({ ...step, readsOnly: false }, to)).toBe(root("bash -euo pipefail -s", input));
  });

  test.each([
    [{ readsOnly: false }, true],
    [{}, false],
    [{ readsOnly: false, callerAddsNext: true }, false],
  ])("adds `pulumi up` as an error's next command to %j: %s", (changes, isAdded) => {
    expect(createEnvelope({ ...step, ...changes }, to).includes("again='pulumi up -s")).toBe(isAdded);
  });
});
