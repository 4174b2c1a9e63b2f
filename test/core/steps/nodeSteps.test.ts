import { spawn, spawnSync } from "node:child_process";
import { text } from "node:stream/consumers";
import { describe, expect, it, test } from "vitest";
import * as steps from "../../../core/steps/nodeSteps";
import { createEnvelope, type Step } from "../../../core/steps/step";
import { formatStackIdentity } from "../../../core/steps/stepVariables";
import { configOf, least } from "../../components/exampleConfig";

const config = configOf();
const identity = formatStackIdentity("prod-2", "Anvil");
const all: Step[] = [
  steps.preflight(config, identity),
  steps.prepare(config, identity),
  steps.packages(config),
  steps.controller(config),
  steps.hourlyRestart(config, "syncing"),
  steps.deploy(config, identity),
  steps.hourlyRestart(config, "synced"),
  steps.producerAddress(config),
];

/** Returns the assignments at the top of a script, above common.sh. */
function variablesOf({ script }: Step): string[] {
  return script.slice(0, script.indexOf("# Shared by all steps")).trimEnd().split("\n");
}

test("identifies a host by stack and Pillar", () => {
  expect(identity).toBe("pillar-host/prod-2 Anvil");
});

test.each([
  [[], ""],
  [[55000], "55000"],
  [[35997, 35995, 35998], "35995,35997-35998"],
  [[35995, 35997, 35998, 55000, 55055], "35995,35997-35998,55000,55055"],
  [[3, 1, 2, 2, 3], "1-3"],
  [[9, 10, 100], "9-10,100"],
])("ports %j are reserved as %j", (ports, text) => {
  expect(steps.formatReservedPorts(ports)).toBe(text);
});

test("gives each step its name, time limit and kind", () => {
  expect(all.map(({ name, limitSeconds, readsOnly, quiet }) => [name, limitSeconds, readsOnly, quiet])).toEqual([
    ["preflight", 300, true, undefined],
    ["prepare", 60, undefined, undefined],
    ["packages", 10_800, undefined, undefined],
    ["controller", 3600, undefined, undefined],
    ["hourlyRestart", 60, undefined, undefined],
    ["deploy", 7800, undefined, undefined],
    ["hourlyRestart", 60, undefined, undefined],
    ["producerAddress", 300, undefined, true],
  ]);
});

describe("variables of a step", () => {
  test("include the preflight's minimums, ports and release", () => {
    expect(variablesOf(steps.preflight(config, identity))).toEqual([
      "node_source=''",
      "go_url=''",
      "go_sha256=''",
      "stack_identity='pillar-host/prod-2 Anvil'",
      "service='go-node'",
      "signer_service='orchestrator'",
      "data_dir='/root/.znn'",
      "distributions='ubuntu-22.04 debian-11'",
      "minimum_cores='4'",
      "minimum_memory_gb='4'",
      "minimum_memory_kb='3774873'",
      "ideal_cores='8'",
      "ideal_memory_gb='16'",
      "ideal_memory_kb='15099494'",
      "minimum_disk_kb='40000000'",
      "minimum_mbps='100'",
      "controller_name='node-controller'",
      "controller_addresses=''",
      "release_url='https://release.example/node-controller.zip'",
      "release_host='release.example'",
      "release_port='443'",
      "tcp_ports='35995 35997 35998 55000 55055'",
      "udp_ports='35995'",
    ]);
  });

  test.each([
    ["http://release.example/c.zip", "80"],
    ["http://release.example:8080/c.zip", "8080"],
    ["https://release.example:8443/c.zip", "8443"],
  ])("include the port of %s as %s", (url, port) => {
    const changed = configOf({ controller: { release: { url, sha256: "a".repeat(64) } } });
    expect(variablesOf(steps.preflight(changed, identity))).toContain(`release_port='${port}'`);
  });

  test("appends the accepted distributions to the supported ones", () => {
    const changed = configOf({ host: { ...least.host, acceptDistributions: ["debian-12"] } });
    expect(variablesOf(steps.preflight(changed, identity))).toContain(
      "distributions='ubuntu-22.04 debian-11 debian-12'",
    );
  });

  test.each([0.5, 1.4, 4.35])("passes whole kilobytes, also for %d GB of disk", (diskGb) => {
    const changed = configOf({ host: { ...least.host, minimums: { diskGb, memoryGb: diskGb } } });
    for (const line of variablesOf(steps.preflight(changed, identity)))
      if (/_kb=/.test(line)) expect(line).toMatch(/='\d+'$/);
  });

  test("include the reserved ports of the preparation", () => {
    expect(variablesOf(steps.prepare(config, identity))).toEqual([
      "stack_identity='pillar-host/prod-2 Anvil'",
      "service='go-node'",
      "signer_service='orchestrator'",
      "reserved_ports='35995,35997-35998,55000,55055'",
    ]);
  });

  test("include the hourly restart and the lock's timeout of the packages", () => {
    expect(variablesOf(steps.packages(config))).toEqual(["hourly_restart='yes'", "lock_seconds='1800'"]);
    expect(variablesOf(steps.packages(configOf({ sync: { hourlyRestart: false } })))).toContain("hourly_restart='no'");
  });

  test("include the controller's release", () => {
    expect(variablesOf(steps.controller(config))).toEqual([
      "controller_dir='/root'",
      "controller_name='node-controller'",
      "node_source=''",
      "go_url=''",
      "go_sha256=''",
      "release_url='https://release.example/node-controller.zip'",
      "sha256=''",
      "version=''",
      "release_marker='https://release.example/node-controller.zip any'",
      "minimum_mbps='100'",
    ]);
  });

  test.each([
    ["syncing", true, "on", "no"],
    ["syncing", false, "off", "no"],
    ["synced", true, "off", "yes"],
    ["synced", false, "off", "yes"],
  ] as const)(
    "include the hourly restart's action while %s, configured %s: %s",
    (when, hourlyRestart, action, synced) => {
      expect(variablesOf(steps.hourlyRestart(configOf({ sync: { hourlyRestart } }), when))).toEqual([
        "service='go-node'",
        `cron_action='${action}'`,
        `node_synced='${synced}'`,
      ]);
    },
  );

  test("include the deploy's addresses and time limits", () => {
    const changed = configOf({ controller: { ...least.controller, deployTimeout: "90s" } });
    const step = steps.deploy(changed, identity);
    expect(step.limitSeconds).toBe(690);
    expect(variablesOf(step)).toEqual([
      "controller_dir='/root'",
      "controller_name='node-controller'",
      "service='go-node'",
      "data_dir='/root/.znn'",
      "rpc_address='127.0.0.1'",
      "rpc_port='35997'",
      "node_source=''",
      "go_url=''",
      "go_sha256=''",
      "stack_identity='pillar-host/prod-2 Anvil'",
      "deploy_seconds='90'",
      "rpc_seconds='300'",
    ]);
  });

  test("passes a deploy's time limit in whole seconds", () => {
    const changed = configOf({ controller: { ...least.controller, deployTimeout: "90500ms" } });
    expect(variablesOf(steps.deploy(changed, identity)).find((line) => line.startsWith("deploy_seconds"))).toMatch(
      /='9[01]'$/,
    );
  });

  test("include the paths of the producer address", () => {
    expect(variablesOf(steps.producerAddress(config))).toEqual([
      "controller_dir='/root'",
      "controller_name='node-controller'",
      "data_dir='/root/.znn'",
    ]);
  });

  test("puts no secret into any script", () => {
    const ssh = { password: "hunter2-login", sudoPassword: "hunter2-sudo", privateKeyPassword: "hunter2-key" };
    const secretive = configOf({ ssh });
    const scripts = [
      steps.preflight(secretive, identity),
      steps.deploy(secretive, identity),
      steps.controller(secretive),
      steps.producerAddress(secretive),
    ];
    for (const { script } of scripts) expect(script).not.toContain("hunter2");
  });
});

describe("each script", () => {
  test.each(all.map((step, index) => [`${index} ${step.name}`, step] as const))(
    "%s parses, also in its envelope",
    (_n, step) => {
      for (const script of [step.script, createEnvelope(step, { hostName: "h", stack: "prod", sudoPassword: "pw" })]) {
        const checked = spawnSync("bash", ["-n"], { input: script, encoding: "utf8" });
        expect({ status: checked.status, stderr: checked.stderr }).toEqual({ status: 0, stderr: "" });
      }
    },
  );

  const shellcheck = spawnSync("shellcheck", ["--version"]).status === 0;
  // The project does not depend on shellcheck, so this test needs an installed one. SC2034 and SC2154: variables that
  // common.sh has for other steps, or that a file gets from the assignments above it. SC1007: `said= other=` is
  // intended. SC2015: the fallback `fail` never runs after the first command succeeded. SC1091: os-release is the
  // host's. SC1011: $'\\t' in a pattern.
  it.runIf(shellcheck)("passes shellcheck", async () => {
    const excluded = "SC1007,SC1011,SC1091,SC2015,SC2034,SC2154";
    const check = async ({ name, script }: Step) => {
      const child = spawn("shellcheck", ["-s", "bash", "-S", "warning", "-e", excluded, "-f", "gcc", "-"]);
      child.stdin.end(script);
      return `${name}: ${await text(child.stdout)}`;
    };
    const once = all.slice(0, 6).concat(all.slice(-1));
    expect(await Promise.all(once.map(check))).toEqual(once.map(({ name }) => `${name}: `));
  });
});
