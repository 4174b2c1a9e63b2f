import { strToU8, zipSync } from "fflate";
import { describe, expect } from "vitest";
import { controller } from "../../../core/steps/nodeSteps";
import { configOf } from "../../components/exampleConfig";
import { test } from "./boxed";
import type { Sandbox } from "./sandbox";

const url = "https://release.example/node-controller.zip";

/** Installs what the address serves in a directory of the box. */
async function install(box: Sandbox, program: string, release: object = {}) {
  box.command("wget", `cp "$sandbox/served" "\${@: -2:1}"`);
  box.write("served", zipSync({ "node-controller": strToU8(program) }));
  const directory = `${box.dir}/installed`;
  const { script } = controller(configOf({ controller: { release: { url, ...release }, directory } }));
  const local = box.local(script).replaceAll("/run/pillar-host/controller-notes", `${box.dir}/controller-notes`);
  const { code, stdout, stderr } = await box.run(local);
  return { code, stderr, stdout: stdout.replace(/[0-9a-f]{64}/g, "HASH") };
}

describe.concurrent("the controller's release", () => {
  test("is installed once; a new archive behind its address is not, until another version is named", async ({
    box,
  }) => {
    const installed = { code: 0, stderr: "" };
    expect(await install(box, "one")).toMatchObject({
      ...installed,
      stdout: expect.stringMatching(/^node-controller installed in .*\/installed: \d+ bytes, sha256 HASH\n/),
    });
    expect(await install(box, "another")).toEqual({ ...installed, stdout: "installed before: sha256 HASH\n" });
    expect(box.read("installed/node-controller")).toBe("one");
    expect(await install(box, "another", { version: "v0.0.4-alpha" })).toMatchObject({
      ...installed,
      stdout: expect.stringMatching(/^node-controller v0\.0\.4-alpha installed in /),
    });
    expect(box.read("installed/node-controller")).toBe("another");
  });

  test("with another hash than the configured one is refused by the name of its key", async ({ box }) => {
    const { code, stderr } = await install(box, "one", { sha256: "0".repeat(64) });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining("the archive is not the one that controller.release.sha256 names"),
    });
  });
});
