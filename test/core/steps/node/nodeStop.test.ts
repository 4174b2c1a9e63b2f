import { expect } from "vitest";
import { prepare } from "../../../../core/steps/nodeSteps.ts";
import { createScript } from "../../../../core/steps/step.ts";
import { configOf } from "../../../components/exampleConfig.ts";
import { type Sandbox, test } from "../sandbox.ts";

const file = "units/go-node.service.d/90-pillar-host.conf";

const sound =
  "LoadState=loaded\nKillMode=control-group\nKillSignal=15\nRestartKillSignal=15\nRestart=on-failure\nTimeoutStopUSec=5min\n";

/** Calls functions on a host whose systemd says this of the unit. */
async function call(box: Sandbox, names: string, says = `${sound}SuccessExitStatus=\n`) {
  box.command("systemctl", 'echo "$@" >> "$sandbox/asked"; [ "$1" != show ] || cat "$sandbox/says"');
  box.write("says", says);
  const script = createScript(["node/nodeStop"], { service: "go-node" });
  const ran = await box.run(box.local(`${script}\n${names}`).replaceAll("/etc/systemd/system", `${box.dir}/units`));
  return { ...ran, stderr: ran.stderr.replaceAll(box.dir, "") };
}

const kill = "ExecStop={ path=/usr/bin/pkill ; argv[]=/usr/bin/pkill -9 go-node }";

test("a stop that kills the node ends the run; after the deploy, it is the operator's", async ({ box }) => {
  expect(await call(box, "let_node_end", sound + kill)).toMatchObject({
    code: 1,
    stderr:
      "h: by its unit, a stop of go-node may corrupt the database, or a kill leave it off\n" +
      `  found: ${kill}\n  needed: remove that from its unit: systemctl cat go-node\n`,
  });
  box.mark("deploy.done");
  const stdout = `warning: by its unit, a stop of go-node may corrupt the database, or a kill leave it off: ${kill}\n`;
  expect(await call(box, "let_node_end", sound + kill)).toEqual({ code: 0, stdout, stderr: "" });
  // An empty value removes the controller's: with it, a node that was killed would not start again.
  expect(box.read(file)).toMatch(/^ExecStop=\nSuccessExitStatus=\n/m);
});

test.for([
  ["KillSignal=15", "KillSignal=9"],
  ["RestartKillSignal=15", "RestartKillSignal=9"],
  ["KillMode=control-group", "KillMode=none"],
  ["Restart=on-failure", "Restart=no"],
  ["TimeoutStopUSec=5min", "TimeoutStopUSec=1min 30s"],
  ["LoadState=loaded", "LoadState=loaded\nSuccessExitStatus=9 SIGKILL"],
] as const)("a later file of the unit that undoes %s ends the run, and is shown", async ([own, other], { box }) => {
  const { code, stderr } = await call(
    box,
    "let_node_end",
    sound.replace(`\n${own}`, `\n${other}`).replace(/^LoadState=loaded$/m, own === "LoadState=loaded" ? other : "$&"),
  );
  expect([code, stderr]).toEqual([1, expect.stringContaining(`  found: ${other.split("\n").at(-1)}\n`)]);
});

test.for([
  ["lets the node end for longer", sound.replace("5min", "1h 30min")],
  ["ends it first, and what it left later", sound.replace("control-group", "mixed")],
  ["does not exist yet", "LoadState=not-found\nTimeoutStopUSec=1min 30s\n"],
])("a unit that %s is sound", async ([, says], { box }) => {
  expect(await call(box, "let_node_end", says)).toEqual({ code: 0, stdout: "", stderr: "" });
});

test("a released host has its unit's own stop again, once, and keeps other drop-ins", async ({ box }) => {
  await call(box, "let_node_end; rm $sandbox/asked; forget_node_stop; forget_node_stop");
  expect([(await box.run("ls units")).stdout, box.read("asked")]).toEqual(["", "daemon-reload\n"]);
  await call(box, "let_node_end; touch $sandbox/units/go-node.service.d/mine.conf; forget_node_stop");
  expect((await box.run("ls units/go-node.service.d")).stdout).toBe("mine.conf\n");
});

/** Prepares a host on which apt has this setting, and systemd would read these files at a boot. */
async function prepareHost(box: Sandbox, reboots = "false", sysctls = "# /etc/sysctl.d/90-pillar-host.conf\n") {
  for (const name of ["systemctl", "apt-get"]) box.command(name, ":");
  box.command("apt-config", `echo 'Unattended-Upgrade::Automatic-Reboot "${reboots}";'`);
  box.command("systemd-analyze", '[ "$*" = "cat-config sysctl.d" ] && cat "$sandbox/sysctls"');
  box.write("sysctls", sysctls);
  const config = configOf({ node: { service: "go-zenon" }, orchestrator: { service: "signer.one" } });
  const { script } = prepare(config, "pillar-host/prod Anvil");
  // The kernel confirms the requested ports.
  box.command("sysctl", `echo ${/^reserved_ports='(.*)'$/m.exec(script)?.[1]}`);
  return box.run(box.local(script).replaceAll("/etc/", `${box.dir}/etc/`).replaceAll(`# ${box.dir}/etc/`, "# /etc/"));
}

const list = "net.ipv4.ip_local_reserved_ports";
test.for([
  [
    "is the last one",
    `# /etc/sysctl.d/10-a.conf\n${list} = 9\n# /etc/sysctl.d/90-pillar-host.conf\n${list} = 1\n# /etc/sysctl.d/99-b.conf\n# ${list} = 9\n`,
    undefined,
  ],
  [
    "is overridden",
    `# /etc/sysctl.d/90-pillar-host.conf\n${list} = 1\n# /etc/sysctl.d/99-b.conf\n${list}=9\n`,
    "/etc/sysctl.d/99-b.conf",
  ],
  [
    "is overridden in the other spelling",
    "# /etc/sysctl.d/99-sysctl.conf\n-net/ipv4/ip_local_reserved_ports = 9\n",
    "/etc/sysctl.d/99-sysctl.conf",
  ],
] as const)("a list of reserved ports that %s at the next boot", async ([, sysctls, file], { box }) => {
  const { code, stdout } = await prepareHost(box, "false", sysctls);
  const words =
    /^warning: from the next boot on, the ports .* are not reserved, .* Remove net\.ipv4\.ip_local_reserved_ports in: (.*)$/m;
  expect([code, words.exec(stdout)?.[1]]).toEqual([0, file]);
});

test("only a file whose setting is in force is named, also apt's main file", async ({ box }) => {
  expect((await prepareHost(box, "False")).stdout).toContain("\nautomatic upgrades do not reboot\n");
  const of = (path: string, text: string) =>
    box.run(`mkdir -p $(dirname etc/apt/${path}); cat > etc/apt/${path} <<'EOF'\n${text}\nEOF`);
  await of(
    "apt.conf.d/50unattended-upgrades",
    '//Unattended-Upgrade::Automatic-Reboot "false";\nUnattended-Upgrade::Automatic-Reboot-Time "02:00";',
  );
  await of("apt.conf", 'Unattended-Upgrade { Automatic-Reboot "true"; };');
  const { stdout } = await prepareHost(box, "true");
  expect(stdout.replaceAll(box.dir, "")).toContain(
    'Automatic-Reboot is "true" (apt-config dump). Set it to "false" in: /etc/apt/apt.conf\n',
  );
});

test("a prepared host keeps needrestart away from node and orchestrator, whatever their names", async ({ box }) => {
  expect(await prepareHost(box)).toMatchObject({ code: 0, stderr: "" });
  expect(box.read("etc/needrestart/conf.d/90-pillar-host.conf")?.split("\n").slice(1)).toEqual([
    "$nrconf{override_rc}{qr(^go-zenon\\.service$)} = 0;",
    "$nrconf{override_rc}{qr(^signer\\.one\\.service$)} = 0;",
    "",
  ]);
});
