import { describe, expect } from "vitest";
import { createScript } from "../../../../core/steps/step";
import { test } from "../boxed";
import type { Sandbox } from "../sandbox";

const file = "units/go-node.service.d/90-pillar-host.conf";

/** Calls a function on a host whose systemd says this of the unit's ExecStop. */
function call(box: Sandbox, name: string, execStop = "") {
  box.command("systemctl", 'echo "$@" >> "$sandbox/asked"; [ "$1" != show ] || cat "$sandbox/execStop"');
  box.write("execStop", execStop);
  const script = createScript({ service: "go-node" }, "node/nodeStop").replaceAll(
    "/etc/systemd/system",
    `${box.dir}/units`,
  );
  return box.run(box.local(`${script}\n${name}`));
}

describe.concurrent("a stop of the node", () => {
  test("lets the node finish its writes, whatever its unit says", async ({ box }) => {
    expect(await call(box, "let_node_end")).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(box.read(file)).toBe(
      `# Not killed: its database is not written in one piece (pillar-host).
[Service]
ExecStop=
KillMode=control-group
KillSignal=SIGTERM
TimeoutStopSec=300
`,
    );
    expect(box.read("asked")).toBe("daemon-reload\nshow -p ExecStop --value go-node\n");
  });

  const kill = "{ path=/usr/bin/pkill ; argv[]=/usr/bin/pkill -9 go-node }";

  test("ends the run if it kills the node, with what to check", async ({ box }) => {
    const { code, stderr } = await call(box, "let_node_end", kill);
    expect(code).toBe(1);
    expect(stderr.replaceAll(box.dir, "")).toBe(
      `h: a stop of go-node would not let the node finish its writes, and may corrupt its database
  found: ExecStop=${kill}
  needed: no ExecStop, as in /${file}
  See which file sets it with: systemctl cat go-node. Remove the line, then run pulumi up -s prod again.
`,
    );
  });

  test("warns of an operator's own limit on an older host", async ({ box }) => {
    box.mark("deploy.done");
    expect(await call(box, "let_node_end", kill)).toEqual({
      code: 0,
      stdout: `warning: when go-node stops, its unit runs a command that may corrupt the node's database: ${kill}\n`,
      stderr: "",
    });
  });

  test("restores the unit's own stop once the host is released", async ({ box }) => {
    await call(box, "let_node_end");
    await box.run("rm asked");
    expect((await call(box, "forget_node_stop")).code).toBe(0);
    expect((await box.run("ls units")).stdout).toBe("");
    expect(box.read("asked")).toBe("daemon-reload\n");
    expect((await call(box, "forget_node_stop")).code).toBe(0);
    expect(box.read("asked")).toBe("daemon-reload\n");
  });

  test("leaves other drop-ins alone", async ({ box }) => {
    await call(box, "let_node_end");
    await box.run("touch units/go-node.service.d/mine.conf");
    await call(box, "forget_node_stop");
    expect((await box.run("ls units/go-node.service.d")).stdout).toBe("mine.conf\n");
  });
});
