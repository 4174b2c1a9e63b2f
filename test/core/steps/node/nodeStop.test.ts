import { expect } from "vitest";
import { prepare } from "../../../../core/steps/nodeSteps.ts";
import { createScript } from "../../../../core/steps/step.ts";
import { configOf } from "../../../components/exampleConfig.ts";
import { type Sandbox, test } from "../sandbox.ts";

const file = "units/go-node.service.d/90-pillar-host.conf";

/** Calls functions on a host whose systemd says this of the unit's ExecStop. */
async function call(box: Sandbox, names: string, execStop = "") {
  box.command("systemctl", 'echo "$@" >> "$sandbox/asked"; [ "$1" != show ] || cat "$sandbox/execStop"');
  box.write("execStop", execStop);
  const script = createScript(["node/nodeStop"], { service: "go-node" });
  const ran = await box.run(box.local(`${script}\n${names}`).replaceAll("/etc/systemd/system", `${box.dir}/units`));
  return { ...ran, stderr: ran.stderr.replaceAll(box.dir, "") };
}

const kill = "{ path=/usr/bin/pkill ; argv[]=/usr/bin/pkill -9 go-node }";

test("a stop that kills the node ends the run; after the deploy, it is the operator's", async ({ box }) => {
  expect(await call(box, "let_node_end", kill)).toMatchObject({
    code: 1,
    stderr:
      "h: a stop of go-node would not let the node finish its writes, and may corrupt its database\n" +
      `  found: ExecStop=${kill}\n  needed: no ExecStop, as in /${file}\n` +
      "  See which file sets it with: systemctl cat go-node. Remove the line, then run pulumi up -s prod again.\n",
  });
  box.mark("deploy.done");
  const stdout = `warning: when go-node stops, its unit runs a command that may corrupt the node's database: ${kill}\n`;
  expect(await call(box, "let_node_end", kill)).toEqual({ code: 0, stdout, stderr: "" });
  // An empty value removes the controller's: with it, a node that was killed would not start again.
  expect(box.read(file)).toMatch(/^ExecStop=\nSuccessExitStatus=\n/m);
});

test("a released host has its unit's own stop again, once, and keeps other drop-ins", async ({ box }) => {
  await call(box, "let_node_end; rm $sandbox/asked; forget_node_stop; forget_node_stop");
  expect([(await box.run("ls units")).stdout, box.read("asked")]).toEqual(["", "daemon-reload\n"]);
  await call(box, "let_node_end; touch $sandbox/units/go-node.service.d/mine.conf; forget_node_stop");
  expect((await box.run("ls units/go-node.service.d")).stdout).toBe("mine.conf\n");
});

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
