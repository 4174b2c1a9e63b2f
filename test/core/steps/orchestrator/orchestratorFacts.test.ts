import { mkdirSync } from "node:fs";
import { describe, expect } from "vitest";
import { formatAssignments } from "../../../../core/ssh/shellWords";
import { readOrchestratorLibrary } from "../../../../core/steps/libraries";
import { type Sandbox, test } from "../sandbox";

/** Returns the facts of a unit with this main process (0: it does not run). */
function ask(box: Sandbox, pid: number) {
  box.command("systemctl", `[ "$1" != show ] || echo ${pid}`);
  const functions = box.library(readOrchestratorLibrary()).replaceAll("/proc/", `${box.dir}/proc/`);
  return box.run(`${functions}\n${formatAssignments({ service: "orchestrator" })}signer_process_facts`);
}

describe.concurrent("the facts of an orchestrator's process", () => {
  test("prints its working directory, user and names of variables, without values", async ({ box }) => {
    const variables = ["HOME=/srv/op", "PATH=/bin", "ORCHESTRATOR_PASSPHRASE=hunter2", "INVOCATION_ID=1", "LC_ALL=C"];
    mkdirSync(`${box.dir}/proc/77`, { recursive: true });
    box.write("proc/77/environ", `${variables.join("\0")}\0`);
    const { stdout, stderr } = await ask(box, 77);
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^user=\w+\nworks=\/srv\/op\/.orchestrator\nenvironment=ORCHESTRATOR_PASSPHRASE\n$/);
  });

  test("prints the names in the unit's files if it does not run", async ({ box }) => {
    box.write("secrets", "# none\nTHIRD=hunter2\n");
    const lines = ["[Service]", 'Environment="FIRST=a b" SECOND=c HOME=/x', `EnvironmentFile=-${box.dir}/secrets`];
    mkdirSync(`${box.dir}/units/orchestrator.service.d`, { recursive: true });
    box.write("units/orchestrator.service.d/x.conf", `${lines.join("\n")}\n`);
    const { stdout, stderr } = await ask(box, 0);
    expect([stdout, stderr]).toEqual(["environment=FIRST\nenvironment=SECOND\nenvironment=THIRD\n", ""]);
  });
});
