import { expect } from "vitest";
import { deploy } from "../../../../core/steps/nodeSteps.ts";
import { configOf, least } from "../../../components/exampleConfig.ts";
import { replaceAll, type Sandbox, test } from "../sandbox.ts";
import { controllerOf, hasty } from "./controllers.ts";

const identity = "pillar-host/prod Anvil";

/** Deploys on a host with this controller (bash) and an active or inactive service of the node. */
function run(
  box: Sandbox,
  body: string,
  isActive = true,
  beforeMenu = "",
  more: object = {},
  sync = {},
  systemctl = `if [ "$1" = is-active ]; then echo ${isActive ? "active" : "inactive"}; fi`,
) {
  const dataDir = `${box.dir}/znn`;
  box.mark("stack", `${identity}\n`);
  controllerOf(box, { Deploy: body }, undefined, beforeMenu);
  box.command("systemctl", systemctl);
  box.command("wget", isActive ? "echo '{\"currentHeight\":1}'" : "exit 4");
  box.command("journalctl", ":");
  const controller = { ...least.controller, directory: box.dir, ...more };
  const { script } = deploy(configOf({ node: { dataDir }, controller, sync: { ...least.sync, ...sync } }), identity);
  const units = script.replaceAll("/etc/systemd/system", `${box.dir}/units`);
  return box.run(hasty(replaceAll(box.local(units), [["rpc_seconds='300'", "rpc_seconds='1'"]])));
}

test("the deploy lets the installation of packages ask nothing, restart nothing and wait for the lock", async ({
  box,
}) => {
  const names = ["DEBIAN_FRONTEND", "NEEDRESTART_SUSPEND", "APT_LISTCHANGES_FRONTEND", "UCF_FORCE_CONFFOLD"];
  const shows = `for v in ${names.join(" ")}; do echo "\${!v}"; done > $sandbox/env; cat "$APT_CONFIG" > $sandbox/apt`;
  const { code, stderr } = await run(box, shows);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(box.read("env")).toBe("noninteractive\n1\nnone\n1\n");
  expect(box.read("apt")).toContain('DPkg::Lock::Timeout "600";\nDpkg::Options { "--force-confdef"; "--force-confold"');
});

test("a deploy without a node asks for another unit's name only if there is no unit", async ({ box }) => {
  const asks = "There is no unit go-node: has it another name?";
  expect((await run(box, "true", false)).stderr).toContain(asks);
  const loaded = 'case "$*" in *-pLoadState*) echo LoadState=loaded ;; is-active*) echo inactive ;; esac';
  const { code, stderr } = await run(box, "true", false, "", {}, {}, loaded);
  expect([code, stderr.includes("There is no unit")]).toEqual([1, false]);
});

test("the deploy does not begin with a Go that is too old", async ({ box }) => {
  box.command("curl", "echo 'go 9.9'");
  const { code, stderr } = await run(box, "touch $sandbox/deployed", true, "", {
    source: "https://git.example/node",
  });
  expect([code, box.read("deployed")]).toEqual([1, undefined]);
  expect(stderr).toMatch(
    /^h: the controller would not build the node: its Go is too old\n {2}found: Go \S+, and go.mod of https:\/\/git.example\/node wants 9.9\n {2}needed: Go 9.9 or newer: /,
  );
});

test("the deploy deploys once: leaves a running node alone, and starts a stopped one", async ({ box }) => {
  box.mark("deploy.done");
  const again = await run(box, "touch $sandbox/deployed");
  expect(again).toEqual({ code: 0, stdout: "deployed before, at 2026-01-02T03:04:05Z\n", stderr: "" });
  const { stdout, stderr } = await run(box, "touch $sandbox/deployed", false);
  expect(stdout).toContain("but go-node is not running: starting it");
  expect(stderr).toMatch(
    /RPC does not answer\n[\s\S]*explains the failure:\n {2}In days, sync again: ssh root@h 'systemctl stop go-node && cd \S+ && rm -rf nom consensus cache network; systemctl start go-node' && pulumi up -s prod\n$/,
  );
  expect(box.read("deployed")).toBeUndefined();
  box.process(77, "znnd", "/system.slice/docker-4f1d.scope");
  expect((await run(box, "true", false)).stderr).toContain(
    "a node runs here that is not go-node: go-node is not started beside it\n  found: znnd is process 77 in /system.slice/docker",
  );
});

test("the deploy names both ways back of a node past its gate that does not start, and leaves it to a confirmed copy", async ({
  box,
}) => {
  box.mark("deploy.done");
  box.mark("synced", "2026-01-02T03:04:05Z\n");
  const { code, stderr } = await run(box, "true", false);
  expect(code).toBe(1);
  const copy = `copyAgain ${Date.parse("2026-01-02T03:04:05Z") / 1000} -s prod && pulumi up -s prod\n  In days, sync again: ssh`;
  expect(stderr).toContain(copy);
  expect(await run(box, "true", false, "", {}, { copyAgain: 1 })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(
      "starting it. If it was off for more than five minutes, it produces from the next tick on\nthe chain copy, which is confirmed, watches it: sync.copyAgain\n",
    ),
  });
});
