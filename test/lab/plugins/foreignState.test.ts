import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { formatDynamicType, formatOldType } from "../../../core/util/resourceTypes.ts";
import { checkout } from "../../../lab/toolchain/version.ts";
import { PluginStack } from "./stack.ts";

// The engine, the process of the dynamic providers, and a state that somebody else wrote.

const program = `const { HostKey } = require(process.env.CHECKOUT + "/providers/hostKey.ts");
new HostKey("host-key", {});
`;

let stack: PluginStack;
const file = (name: string) => path.join(stack.dir, name);
const isMarked = () => fs.existsSync(file("marker"));
const mark = () => `touch ${file("marker")}`;

beforeAll(async () => {
  stack = await PluginStack.create("double", "command", { CHECKOUT: checkout });
  fs.writeFileSync(file("index.js"), program);
  const project = parse(fs.readFileSync(file("Pulumi.yaml"), "utf8"));
  const providers = [{ name: "pulumi-nodejs", path: path.join(checkout, "providers/runtime/process") }];
  fs.writeFileSync(file("Pulumi.yaml"), stringify({ ...project, plugins: { providers } }, { lineWidth: 0 }));
  expect(await stack.up()).toContain("+ 2 created");
}, 900_000);
afterAll(() => stack.remove());

type State = { deployment: { resources: { type: string; inputs?: object; outputs?: object }[] } };

/** Imports the state of the stack after a change. */
async function importChanged(change: (state: State) => void): Promise<void> {
  await stack.pulumi("stack", "export", "--file", "state.json");
  const state = JSON.parse(fs.readFileSync(file("state.json"), "utf8")) as State;
  change(state);
  fs.writeFileSync(file("changed.json"), JSON.stringify(state));
  expect(await stack.pulumi("stack", "import", "--file", "changed.json")).toContain("Import complete");
}

test("no code of a state runs, and its resources stay", async () => {
  const code = `require("node:child_process").execSync(${JSON.stringify(mark())}); exports.handler = () => ({ delete: async () => {} });`;
  await importChanged(({ deployment: { resources } }) => {
    for (const { type, inputs, outputs } of resources)
      if (type.startsWith("pulumi-nodejs:"))
        for (const values of [inputs, outputs]) Object.assign(values ?? {}, { __provider: code });
  });
  for (const run of [stack.destroy, stack.refresh, stack.up]) {
    const output = await run.call(stack);
    expect(output).toContain(
      "the state has code of another version of this program, or of somebody else: it is not run",
    );
    expect(output).not.toMatch(/\.js:\d/);
    expect([Object.keys(stack.kept()), isMarked()]).toEqual([["host-key"], false]);
  }
  await stack.pulumi("stack", "import", "--file", "state.json");
  expect(await stack.up()).toContain("2 unchanged");
});

test("a state of an older checkout keeps its resources, under their new types", async () => {
  const [now, before] = [formatDynamicType("HostKey"), formatOldType("HostKey")];
  const state = fs.readFileSync(file("state.json"), "utf8");
  fs.writeFileSync(file("older.json"), state.replaceAll(now, before));
  await stack.pulumi("stack", "import", "--file", "older.json");
  expect(stack.kept()["host-key"]?.urn).toContain(`::${before}::`);
  expect(await stack.up()).toContain("2 unchanged");
  expect(stack.kept()["host-key"]?.urn).toContain(`::${now}::`);
});

test("the program's commands start no engine on a foreign command, and name what takes it out of the state", async () => {
  const plugin = "urn:pulumi:test::tiny::pulumi:providers:command::default";
  const version = { version: "1.2.1" };
  const foreign = [
    { urn: plugin, custom: true, id: "0a1b", type: "pulumi:providers:command", inputs: version, outputs: version },
    {
      urn: "urn:pulumi:test::tiny::command:local:Command::evil",
      ...{ custom: true, id: "evil", type: "command:local:Command", provider: `${plugin}::0a1b` },
      inputs: { create: "true", delete: mark() },
      outputs: { create: "true", delete: mark(), stdout: "", stderr: "" },
    },
  ];
  await importChanged(({ deployment: { resources } }) => void resources.push(...foreign));
  const output = await stack.run(path.join(checkout, "pillar-host"), ["resume", "test"]);
  expect(output).toContain(
    "found: urn:pulumi:test::tiny::command:local:Command::evil: this program makes nothing of this type",
  );
  expect(isMarked()).toBe(false);
  const [, forget = ""] = /(pulumi state delete .*)$/m.exec(output) ?? [];
  await stack.run("sh", ["-c", `${forget} --yes`]);
  expect(Object.keys(stack.kept())).toEqual(["host-key"]);
  expect(await stack.destroy()).toMatch(/- \d deleted/);
});
