import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import ssh2 from "ssh2";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Step } from "../../../core/steps/step.ts";
import { checkout } from "../../../lab/toolchain/version.ts";
import { evilText, harmless } from "../../evilText.ts";
import { SshServer } from "./sshServer.ts";
import { PluginStack } from "./stack.ts";

// The engine, the command plugin, and a host that sends what commands a terminal beside all that it runs.

const hostKey = ssh2.utils.generateKeyPairSync("ed25519");
const userKey = ssh2.utils.generateKeyPairSync("ed25519");

const program = `const pulumi = require("@pulumi/pulumi");
const { runStep } = require(process.env.CHECKOUT + "/components/remote.ts");
const access = JSON.parse(process.env.ACCESS);
const { port, user } = access;
const login = pulumi.secret({ port, user, agent: false, privateKey: process.env.SSH_KEY });
const loginCheck = { check: async () => undefined };
runStep("tiny", require("./step.json"), { ...access, login, loginCheck }, {});
`;

describe("output of a hostile host", () => {
  const evil = `printf '%s<{%%x%%}>\\n' '${evilText}'`;
  const evilStep = `${evil}; ${evil} >&2`;
  const programs = fs.mkdtempSync(path.join(os.tmpdir(), "hostile-"));
  let stack: PluginStack;
  let server: SshServer;

  beforeAll(async () => {
    // Its own programs clean nothing.
    fs.writeFileSync(path.join(programs, "sed"), "#!/bin/sh\nexec cat\n", { mode: 0o755 });
    const before = `${evilStep}; PATH=${programs}:$PATH; export PATH; [ ! -e ${programs}/fails ] || exit 3`;
    server = await SshServer.start({ hostKey: hostKey.private, before });
    const access = { stack: "test", address: "127.0.0.1", port: server.port, user: "root", hostKey: hostKey.public };
    stack = await PluginStack.create("double", "command", {
      CHECKOUT: checkout,
      ACCESS: JSON.stringify(access),
      SSH_KEY: userKey.private,
    });
    fs.writeFileSync(path.join(stack.dir, "index.js"), program);
  }, 900_000);

  afterAll(async () => {
    await server.stop();
    stack.remove();
    fs.rmSync(programs, { recursive: true });
  });

  const up = (step: Partial<Step>) => {
    const whole = { name: "look", limitSeconds: 20, readsOnly: true, script: "true\n", ...step };
    fs.writeFileSync(path.join(stack.dir, "step.json"), JSON.stringify(whole));
    return stack.pulumi("up", "--yes", "--skip-preview", "--color", "always");
  };

  /** The engine's own colours. */
  const colour = new RegExp(`${"\u001b"}\\[[0-9;]*m`, "g");
  const withoutColours = (text: string) => text.replace(colour, "");

  test.each([
    ["of a login that fails", {}, "", false],
    ["of a step that fails", { script: `${evilStep}; exit 3\n` }, "Printed before:", false],
    ["of a result", { quiet: true, script: `${evilStep}\n` }, "", true],
    ["of a step", { script: `${evilStep}; echo well\n` }, "well", true],
  ])("reaches no terminal %s", async (_, step, shown, isDone) => {
    if (!("script" in step)) fs.writeFileSync(path.join(programs, "fails"), "");
    const printed = withoutColours(await up(step));
    fs.rmSync(path.join(programs, "fails"), { force: true });
    expect(printed.includes("error:"), printed).toBe(!isDone);
    expect(printed).toContain(shown);
    expect(printed.includes(`${harmless}<{ %x%}>`)).toBe(!("quiet" in step));
    for (const each of evilText.match(/[^ -~]/g) ?? []) expect(printed).not.toContain(each);
  });

  test("begins the error of a step with the step's own words, in one piece, whatever order the plugin makes", async () => {
    const script = "echo one; echo two; printf 'h: no room\\n  needed: 1 GB\\n' >&2; exit 3\n";
    const lines = withoutColours(await up({ script }))
      .split("\n")
      .map((line) => line.trimEnd());
    const from = lines.findIndex((line) => line.startsWith("  command:remote:Command (tiny)"));
    expect(lines.slice(from + 1, from + 8)).toEqual([
      "    error: h: no room",
      "      needed: 1 GB",
      "    Printed before:",
      "      one",
      "      two",
      '    error: error hooks execution failed: error hook "tiny" failed: see above',
      "",
    ]);
  });
});
