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

describe("variables of a step", () => {
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

  test("include the hourly restart and the lock's timeout of the packages", () => {
    expect(variablesOf(steps.packages(config))).toEqual(["hourly_restart='yes'", "lock_seconds='1800'"]);
    expect(variablesOf(steps.packages(configOf({ sync: { hourlyRestart: false } })))).toContain("hourly_restart='no'");
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

  test("passes a deploy's time limit in whole seconds, and leaves time to report", () => {
    const changed = configOf({ controller: { ...least.controller, deployTimeout: "90500ms" } });
    const step = steps.deploy(changed, identity);
    expect(variablesOf(step)).toContain("deploy_seconds='91'");
    expect(step.limitSeconds).toBe(691);
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
