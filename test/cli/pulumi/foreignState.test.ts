import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { findForeignState } from "../../../cli/pulumi/foreignState.ts";
import { createPulumi } from "../../../cli/pulumi/pulumiCommand.ts";
import { formatOldType } from "../../../core/util/resourceTypes.ts";
import { scratchDirectory } from "../../scratchDirectory.ts";

const scratch = scratchDirectory();
const gate = "pulumi-nodejs:sync:Gate";
const step = "command:remote:Command";
const plugin = "pulumi:providers:command";

/** Returns an export with one resource, or with one that a killed run left. */
const exportOf = (type: string, inputs: object = {}, outputs: object = inputs, isPending = false) => {
  const resource = { urn: `urn:pulumi:prod::pillar-host::${type}::it`, type, inputs, outputs };
  const own = { urn: "own", type: gate, inputs: { __provider: "pillar-host:SyncGate" } };
  const pending = { resources: [own], pending_operations: [{ type: "creating", resource }] };
  return JSON.stringify({ version: 3, deployment: isPending ? pending : { resources: [own, resource] } });
};

test.each([
  ["code by its name", gate, { __provider: "pillar-host:SyncGate", startedAt: "x" }],
  ["a type of an older checkout", formatOldType("SyncGate"), { __provider: "pillar-host:SyncGate" }],
  ["a step", step, { create: "bash -s", connection: { host: "h" } }],
  ["a plugin, whose own keys may have any name", plugin, { version: "1.2.1", pillar: { name: "Anvil" } }],
  ["the stack", "pulumi:pulumi:Stack", {}],
])("a state of this program is its own: %s", (_what, type, values) => {
  expect(findForeignState("prod", exportOf(type, values))).toBeUndefined();
  expect(findForeignState("prod", exportOf(type, values, {}, true))).toBeUndefined();
});

test.each([
  ["another type", "command:local:Command", { create: "true" }, "this program makes nothing of this type"],
  ["code of somebody else", "pulumi-nodejs:dynamic:Resource", {}, "this program makes nothing of this type"],
  ["code in the state", gate, { __provider: "exports.handler" }, 'its code is not pillar-host:SyncGate, but "exports'],
  ["code of another resource", gate, { __provider: "pillar-host:HostKey" }, 'but "pillar-host:HostKey"'],
  ["hidden code", gate, { __provider: { ciphertext: "x" } }, 'but {"ciphertext":"x"}'],
  ["no code", gate, { startedAt: "x" }, "but undefined"],
  ["a deletion", step, { create: "true", delete: "rm -r /" }, "it has a command for its deletion"],
  ["a hidden deletion", step, { delete: { ciphertext: "x" } }, "it has a command for its deletion"],
  ["another address", plugin, { __internal: { pluginDownloadURL: "https://e" } }, "comes from another address"],
  ["another address, as older engines wrote it", plugin, { pluginDownloadURL: "https://e" }, "another address"],
  ["another plugin", plugin, { __internal: { name: "e" } }, "its plugin is another one"],
])("a state is foreign with %s, wherever it stands", (_what, type, values, reason) => {
  const states = [[values], [{}, values], [values, {}, true], [{ ...values }, {}]] as const;
  for (const [inputs, outputs, isPending] of states) {
    const { found } = findForeignState("prod", exportOf(type, inputs, outputs, isPending)) ?? {};
    expect(found).toEqual([expect.stringContaining(`::it: `)]);
    expect(String(found)).toContain(reason);
  }
});

test("no command starts the engine on a foreign state", async () => {
  const calls = join(scratch(), "calls");
  writeFileSync(join(scratch(), "state.json"), exportOf("command:local:Command"));
  const pulumi = `#!/bin/sh\necho "$*" >> ${calls}\n[ "$1" != stack ] || cat ${scratch()}/state.json\n`;
  writeFileSync(join(scratch(), "pulumi"), pulumi, { mode: 0o755 });
  vi.stubEnv("PATH", `${scratch()}:${process.env.PATH}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const engine = createPulumi("prod");
  for (const command of ["up", "destroy", "refresh"])
    for (const start of [engine.handOver, engine.run, engine.read])
      await expect(start([command, "--yes"])).rejects.toThrow(
        "the state of prod has what this program did not make: the engine is not started, and nothing was changed\n" +
          "  found: urn:pulumi:prod::pillar-host::command:local:Command::it: this program makes nothing of this type\n" +
          "  needed: find out who wrote it, and let only operators write the state (SECURITY.md, Limits)\n" +
          "  If another version of this program made it, finish the stack with the checkout of that version.\n" +
          "  To take it out of the state, which runs nothing of it: pulumi state delete urn:pulumi:prod::pillar-host::command:local:Command::it -s prod",
      );
  expect(new Set(readFileSync(calls, "utf8").trim().split("\n"))).toEqual(
    new Set(["stack export -s prod --non-interactive --color never"]),
  );
  writeFileSync(join(scratch(), "state.json"), exportOf(step));
  await engine.run(["refresh"]);
  expect(await engine.handOver(["up"])).toBe(0);
  expect(readFileSync(calls, "utf8")).toMatch(/refresh -s prod .*\n.*\nup -s prod\n$/);
});
