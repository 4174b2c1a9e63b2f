import fs from "node:fs";
import path from "node:path";
import ssh2 from "ssh2";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Step } from "../../../core/steps/step";
import { checkout } from "../../../lab/toolchain/version";
import { evilText, harmless } from "../../evilText";
import { SshServer } from "./sshServer";
import { PluginStack } from "./stack";

// The engine, the command plugin, and a host that sends what commands a terminal beside all that it runs.

const hostKey = ssh2.utils.generateKeyPairSync("ed25519");
const userKey = ssh2.utils.generateKeyPairSync("ed25519");

const program = `const pulumi = require("@pulumi/pulumi");
const { compiled, orEnd } = require(process.env.CHECKOUT + "/compile");
const { runStep } = require(orEnd(1, compiled) + "/components/remote.js");
const access = JSON.parse(process.env.ACCESS);
const { port, user } = access;
const login = pulumi.secret({ port, user, agent: false, privateKey: process.env.SSH_KEY });
const loginCheck = { check: async () => undefined };
runStep("tiny", require("./step.json"), { ...access, login, loginCheck }, {});
`;

describe("output of a hostile host", () => {
  const evil = `printf '%s<{%%x%%}>\\n' '${evilText}'`;
  let stack: PluginStack;
  let server: SshServer;

  beforeAll(async () => {
    server = await SshServer.start({ hostKey: hostKey.private, before: `${evil}; ${evil} >&2` });
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
    ["of a step that fails", { script: "exit 3\n" }, "status 3", false],
    ["of a result", { quiet: true }, "", true],
    ["of a step", { script: "echo well\n" }, "well", true],
  ])("reaches no terminal %s", async (_, step, shown, isDone) => {
    const printed = withoutColours(await up(step));
    expect(printed.includes("error:"), printed).toBe(!isDone);
    expect(printed).toContain(shown);
    expect(printed.includes(`${harmless}<{ %x%}>`)).toBe(!("quiet" in step));
    for (const each of evilText.match(/[^ -~]/g) ?? []) expect(printed).not.toContain(each);
  });
});
