import { spawn, spawnSync } from "node:child_process";
import { text } from "node:stream/consumers";
import { expect, it, test } from "vitest";
import * as steps from "../../../core/steps/nodeSteps.ts";
import type { Step } from "../../../core/steps/step.ts";
import { formatReservedPorts, formatStackIdentity } from "../../../core/steps/stepVariables.ts";
import { configOf, least } from "../../components/exampleConfig.ts";

const identity = formatStackIdentity("prod-2", "Anvil");
const stepsOf = (config = configOf()): Step[] => [
  steps.preflight(config, identity),
  steps.prepare(config, identity),
  steps.packages(config),
  steps.controller(config),
  steps.hourlyRestart(config, "syncing"),
  steps.deploy(config, identity),
  steps.producerAddress(config),
];

/** Returns the assignments at the top of a script, above common.sh. */
function variablesOf({ script }: Step): string[] {
  return script.slice(0, script.indexOf("# Shared by all steps")).trimEnd().split("\n");
}

test.each([
  [[], ""],
  [[35995, 35997, 35998, 55000, 55055], "35995,35997-35998,55000,55055"],
  [[3, 1, 2, 2, 3], "1-3"],
  [[9, 10, 100], "9-10,100"],
])("ports %j are reserved as %j", (ports, text) => {
  expect(formatReservedPorts(ports)).toBe(text);
});

const preflight = (config = configOf()) => steps.preflight(config, identity);
const release = { url: "https://n.example/znnd", sha256: "0".repeat(64), version: "v0.0.10" };
const deployed = steps.deploy(configOf({ controller: { ...least.controller, deployTimeout: "90500ms" } }), identity);

test.each<[string, Step, string[]]>([
  [
    "accepted distributions",
    preflight(configOf({ host: { ...least.host, acceptDistributions: ["ubuntu-26.04"] } })),
    [
      "distributions='ubuntu-22.04 debian-11 ubuntu-24.04 debian-12 debian-13 ubuntu-26.04'",
      "named_distributions='ubuntu-22.04 debian-11'",
    ],
  ],
  [
    "addresses that later steps need",
    preflight(
      configOf({
        controller: {
          ...least.controller,
          addresses: ["https://go.dev"],
          go: { url: "https://g.example/go", sha256: release.sha256 },
        },
        node: { release },
        orchestrator: { release: { ...release, url: "https://o.example/o.zip" } },
      }),
    ),
    [
      "later_addresses='controller.addresses=https://go.dev controller.go.url=https://g.example/go node.release.url=https://n.example/znnd orchestrator.release.url=https://o.example/o.zip'",
    ],
  ],
  ["whole seconds", deployed, ["deploy_seconds='91'"]],
])("variables of a step include %s", (_what, step, lines) => {
  // The deploy has ten minutes to report.
  expect(deployed.limitSeconds).toBe(691);
  expect(variablesOf(step)).toEqual(expect.arrayContaining(lines));
});

test.each([0.5, 1.4, 4.35])("variables of a step have whole kilobytes, also for %d GB of disk", (diskGb) => {
  const host = { ...least.host, minimums: { diskGb, memoryGb: diskGb } };
  for (const line of variablesOf(preflight(configOf({ host }))).filter((line) => line.includes("_kb=")))
    expect(line).toMatch(/='\d+'$/);
});

test("variables of a step hold no secret", () => {
  const ssh = { password: "hunter2-login", sudoPassword: "hunter2-sudo", privateKeyPassword: "hunter2-key" };
  for (const { script } of stepsOf(configOf({ ssh }))) expect(script).not.toContain("hunter2");
});

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
  expect(await Promise.all(stepsOf().map(check))).toEqual(stepsOf().map(({ name }) => `${name}: `));
});
