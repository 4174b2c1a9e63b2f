import { describe, expect } from "vitest";
import { prepare } from "../../../../core/steps/nodeSteps";
import { configOf } from "../../../components/exampleConfig";
import { test } from "../boxed";
import type { Sandbox } from "../sandbox";

/** Prepares a host with apt whose places are below the box. */
function run(box: Sandbox, changes: Record<string, unknown> = {}) {
  box.command("systemctl", ":");
  box.command("apt-get", ":");
  const { script } = prepare(configOf(changes), "pillar-host/prod Anvil");
  // The kernel confirms the requested ports.
  const [, ports = ""] = /^reserved_ports='(.*)'$/m.exec(script) ?? [];
  box.command("sysctl", `echo ${ports}`);
  return box.run(box.local(script).replaceAll("/etc/", `${box.dir}/etc/`));
}

describe("a host that is prepared", () => {
  const needrestart = (box: Sandbox) =>
    (box.read("etc/needrestart/conf.d/90-pillar-host.conf") ?? "").split("\n").slice(1);

  test("keeps needrestart away from node and orchestrator", async ({ box }) => {
    expect(await run(box)).toMatchObject({ code: 0, stderr: "" });
    expect(needrestart(box)).toEqual([
      "$nrconf{override_rc}{qr(^go-node\\.service$)} = 0;",
      "$nrconf{override_rc}{qr(^orchestrator\\.service$)} = 0;",
      "",
    ]);
  });

  test("accepts any service names", async ({ box }) => {
    await run(box, { node: { service: "go-zenon" }, orchestrator: { service: "signer.one" } });
    expect(needrestart(box)).toEqual([
      "$nrconf{override_rc}{qr(^go-zenon\\.service$)} = 0;",
      "$nrconf{override_rc}{qr(^signer\\.one\\.service$)} = 0;",
      "",
    ]);
  });
});
