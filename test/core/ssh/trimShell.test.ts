import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { asRoot } from "../../../core/ssh/root.ts";
import { trimShell } from "../../../core/ssh/trimShell.ts";
import * as libraries from "../../../core/steps/libraries.ts";
import * as steps from "../../../core/steps/nodeSteps.ts";
import { bulkCopy, orchestrator } from "../../../core/steps/orchestratorSteps.ts";
import { createEnvelope, type Step } from "../../../core/steps/step.ts";
import { configOf } from "../../components/exampleConfig.ts";

const config = configOf();
const identity = "pillar-host/prod Anvil";
const scripts: Step[] = [
  ...Object.values(steps.createNodeSteps(config, identity)),
  steps.cloudInit(),
  steps.chainCopyAway(config, identity, "2026-01-02"),
  steps.hourlyRestartNow(config, true),
  orchestrator(config),
  bulkCopy(config, { user: "root", address: "192.0.2.1", port: 22 }),
];

const { readShell, ...readers } = libraries;
const texts: [string, string][] = [
  ...scripts.map(({ name, script }): [string, string] => [name, script]),
  ...Object.values(readers).map((read): [string, string] => [read.name, read().split(asRoot)[1] ?? ""]),
  ["commands", readShell("lib/commands")],
  ["become", readShell("lib/become")],
  ["unit", readShell("lib/unit")],
];

/** Returns a shell text as bash reads it: without comments, functions apart from the rest. */
function parse(text: string) {
  const lines = execFileSync("bash", ["-c", `all() {\n${text}\n:\n}\ndeclare -f all`], { encoding: "utf8" });
  const definition = /^ {4}function (\w+) \(\) \n[\s\S]*?^ {4}\};\n/gm;
  const functions = new Map([...lines.matchAll(definition)].map(([whole, name = ""]) => [name, whole]));
  return { lines, functions, rest: lines.replace(definition, "") };
}

/** Returns those of these functions that a text names and does not define. */
function findMissing(text: string, functions: ReadonlyMap<string, string>) {
  const words = new Set(text.match(/\w+/g));
  return [...functions.keys()].filter((name) => words.has(name) && !`\n${text}`.includes(`\n${name}() {`));
}

test("leaves out comments, and functions that nothing calls", () => {
  const text = `# a
top=1
a() { say "$(b)"; }
b() {
  # c is not called
  trap 'd' EXIT
}
c() { e; }
d() { :; }
e() { c; }
a
`;
  const left = `top=1\na() { say "$(b)"; }\nb() {\n  trap 'd' EXIT\n}\nd() { :; }\na\n`;
  expect(trimShell(text)).toBe(left);
  expect(trimShell(text, "then=e")).toBe(text.replace(/^ *#.*\n/gm, ""));
});

test.each(texts)("bash reads the same in what is left of a text: %s", (_name, text) => {
  const whole = parse(text);
  const names = [...whole.functions.keys()];
  expect(parse(trimShell(text, names.join(" "))).lines).toBe(whole.lines);
  const left = parse(trimShell(text));
  expect(left.rest).toBe(whole.rest);
  for (const [name, lines] of left.functions) expect(lines).toBe(whole.functions.get(name));
});

test.each(texts)("what is left of a text has each function that it names: %s", (_name, text) => {
  const { functions } = parse(text);
  const calls = ["", ...functions.keys()].map((call) => findMissing(trimShell(text, call) + call, functions));
  expect(calls.flat()).toEqual([]);
});

test.each(scripts)("each shell of $name has the commands that it prints", (step) => {
  const shells = createEnvelope(step, { hostName: "h", stack: "prod" }).split(/<<'PILLAR_HOST_\w+'\n/);
  expect(shells).toHaveLength(step.readsOnly ? 2 : 3);
  const { functions } = parse(readShell("lib/commands"));
  expect(shells.flatMap((shell) => findMissing(shell, functions))).toEqual([]);
});

// The state has each script twice, encrypted.
test("scripts are small", () => {
  const sizes = scripts.map((step) => createEnvelope(step, { hostName: "h", stack: "prod" }).length);
  expect(Math.max(...sizes)).toBeLessThan(21_000);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(195_000);
});
