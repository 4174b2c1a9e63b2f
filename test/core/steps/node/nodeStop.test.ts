import { describe, expect } from "vitest";
import { scriptOf } from "../../../../core/steps/step";
import { test } from "../boxed";
import type { Sandbox } from "../sandbox";

const file = "units/go-node.service.d/90-pillar-host.conf";

/** Calls a function on a host whose systemd says this of the unit's ExecStop. */
function call(box: Sandbox, name: string, execStop = "") {
  box.command("systemctl", 'echo "$@" >> "$sandbox/asked"; [ "$1" != show ] || cat "$sandbox/execStop"');
  box.write("execStop", execStop);
  const script = scriptOf({ service: "go-node" }, "node/nodeStop").replaceAll(
    "/etc/systemd/system",
    `${box.dir}/units`,
  );
  return box.run(box.local(`${script}\n${name}`));
}

describe.concurrent("a stop of the node", () => {
  test("lets it end what it writes, whatever the controller's unit says, and before there is one", async ({ box }) => {
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

  test("that kills it all the same ends the run, with what to look at", async ({ box }) => {
    const { code, stderr } = await call(box, "let_node_end", kill);
    expect(code).toBe(1);
    expect(stderr.replaceAll(box.dir, "")).toBe(
      `h: a stop of go-node would not let the node end what it writes: its database may be torn
  found: ExecStop=${kill}
  needed: no ExecStop, as in /${file}
  See what sets it: systemctl cat go-node. Remove it, then run pulumi up -s prod again.
`,
    );
  });

  test("on a host that runs since long somebody's own word is warned about", async ({ box }) => {
    box.mark("deploy.done");
    expect(await call(box, "let_node_end", kill)).toEqual({
      code: 0,
      stdout: `warning: a stop of go-node runs a command of its own, which may tear the node's database: ${kill}\n`,
      stderr: "",
    });
  });

  test("is the unit's again once the host is let go; a second time nothing is asked", async ({ box }) => {
    await call(box, "let_node_end");
    await box.run("rm asked");
    expect((await call(box, "forget_node_stop")).code).toBe(0);
    expect((await box.run("ls units")).stdout).toBe("");
    expect(box.read("asked")).toBe("daemon-reload\n");
    expect((await call(box, "forget_node_stop")).code).toBe(0);
    expect(box.read("asked")).toBe("daemon-reload\n");
  });

  test("leaves what else lies beside its file", async ({ box }) => {
    await call(box, "let_node_end");
    await box.run("touch units/go-node.service.d/mine.conf");
    await call(box, "forget_node_stop");
    expect((await box.run("ls units/go-node.service.d")).stdout).toBe("mine.conf\n");
  });
});
