import { expect } from "vitest";
import { prepare } from "../../../../core/steps/nodeSteps";
import { configOf } from "../../../components/exampleConfig";
import { test } from "../sandbox";

test("a prepared host keeps needrestart away from node and orchestrator, whatever their names", async ({ box }) => {
  for (const name of ["systemctl", "apt-get"]) box.command(name, ":");
  const config = configOf({ node: { service: "go-zenon" }, orchestrator: { service: "signer.one" } });
  const { script } = prepare(config, "pillar-host/prod Anvil");
  // The kernel confirms the requested ports.
  box.command("sysctl", `echo ${/^reserved_ports='(.*)'$/m.exec(script)?.[1]}`);
  const ran = await box.run(box.local(script).replaceAll("/etc/", `${box.dir}/etc/`));
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  expect(box.read("etc/needrestart/conf.d/90-pillar-host.conf")?.split("\n").slice(1)).toEqual([
    "$nrconf{override_rc}{qr(^go-zenon\\.service$)} = 0;",
    "$nrconf{override_rc}{qr(^signer\\.one\\.service$)} = 0;",
    "",
  ]);
});
