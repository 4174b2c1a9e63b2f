import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { frameScript } from "../../../core/ssh/answer";
import { formatAssignments } from "../../../core/ssh/shellWords";
import { createEnvelope, createScript, type Step } from "../../../core/steps/step";
import { quote } from "../../../core/util/quote";

const file = (name: string) => readFileSync(join(__dirname, "../../../core/steps", `${name}.sh`), "utf8");

describe("quote", () => {
  test.each([
    ["plain", "'plain'"],
    ["", "''"],
    ["it's", "'it'\\''s'"],
    ['$(id) `id` \\ "x"', "'$(id) `id` \\ \"x\"'"],
    ["'", "''\\'''"],
  ])("%j becomes %s", (text, quoted) => {
    expect(quote(text)).toBe(quoted);
  });

  test.each(["a b", "it's", "$HOME $(id) `id`", "two\nlines", "\\", "*", "-n", "''", "ü€"])(
    "the shell reads %j back as it was",
    (text) => {
      const read = spawnSync("bash", ["-c", `printf %s ${quote(text)}`], { encoding: "utf8" });
      expect(read.stdout).toBe(text);
    },
  );
});

describe("assignments", () => {
  test("writes one a line: words, numbers, yes and no, lists with blanks", () => {
    expect(formatAssignments({ a: "x y", b: 7, c: true, d: false, e: [1, "two", 3], f: [], g: "" })).toBe(
      "a='x y'\nb='7'\nc='yes'\nd='no'\ne='1 two 3'\nf=''\ng=''\n",
    );
  });

  test("writes nothing for none", () => {
    expect(formatAssignments({})).toBe("");
  });
});

test("joins variables, shared functions and files in order", () => {
  expect(createScript({ a: 1 }, "node/dialog", "node/producerAddress")).toBe(
    `a='1'\n${file("lib/common")}\n${file("node/dialog")}\n${file("node/producerAddress")}`,
  );
});

describe("envelope", () => {
  const step: Step = { name: "look", limitSeconds: 5, script: "echo hello\n", readsOnly: true };

  test("runs a reading step at once, with its time limit", () => {
    expect(createEnvelope(step, { hostName: "203.0.113.7", stack: "prod", sudoPassword: "it's" })).toBe(
      `host_name='203.0.113.7'\nstack_word='prod'\nlogin_key='ssh'\nsudo_password='it'\\''s'\n${file("lib/commands")}${file("lib/become")}\n` +
        "become_root timeout -k 10 5 bash -euo pipefail -s <<'PILLAR_HOST_ROOT'\n" +
        `${frameScript(`host_name='203.0.113.7'\nstack_word='prod'\n${file("lib/commands")}look() {\necho hello\n\n}\n{ look 2>&1 >&3 | printable >&2; } 3>&1 | printable\n`, "shown")}PILLAR_HOST_ROOT\n`,
    );
  });

  test("runs any other step in a service that outlives the connection", () => {
    expect(createEnvelope({ ...step, readsOnly: false }, { hostName: "h", stack: "a b" })).toBe(
      `host_name='h'\nstack_word=''\\''a b'\\'''\nlogin_key='ssh'\nsudo_password=''\n${file("lib/commands")}${file("lib/become")}\n` +
        "become_root bash -euo pipefail -s <<'PILLAR_HOST_ROOT'\n" +
        frameScript(
          `host_name='h'\nstack_word=''\\''a b'\\'''\nstep='look'\nlimit_seconds='5'\nnotes='3'\n${file("lib/commands")}main() {\n${file("lib/unit")}}\nmain <<'PILLAR_HOST_STEP'\n` +
            `host_name='h'\nstack_word=''\\''a b'\\'''\nagain='pulumi up -s '\\''a b'\\'''\n${file("lib/commands")}echo hello\nPILLAR_HOST_STEP\n`,
          "shown",
        ) +
        "PILLAR_HOST_ROOT\n",
    );
  });

  test("adds `pulumi up` as an error's next command", () => {
    const again = (changes: Partial<Step>) =>
      createEnvelope({ ...step, ...changes }, { hostName: "h", stack: "prod" }).includes("again='pulumi up -s prod'");
    expect([again({ readsOnly: false }), again({}), again({ readsOnly: false, callerAddsNext: true })]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test("contains the sudo password once, outside of root's part", () => {
    const text = createEnvelope(
      { ...step, readsOnly: false },
      { hostName: "h", stack: "prod", sudoPassword: "hunter2" },
    );
    expect(text.split("hunter2")).toHaveLength(2);
    expect(text.indexOf("hunter2")).toBeLessThan(text.indexOf("PILLAR_HOST_ROOT"));
  });
});
