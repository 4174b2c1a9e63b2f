import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { type MachineFacts, refusals } from "../lab/contracts/scratchMachine.ts";

const scratch: MachineFacts = {
  isLinux: true,
  isRoot: true,
  hasSystemd: true,
  hasApt: true,
  nodeSigns: [],
  executable: true,
  controller: "/opt/znn-controller",
  isScratch: true,
};

test("hosts are refused unless the operator calls them scratch machines", () => {
  expect(refusals(scratch)).toEqual([]);
  expect(refusals({ ...scratch, isScratch: false })).toEqual([
    "needed: --scratch-machine, your word that nothing on this machine is needed any more: a node is deployed on it, with packages, unit and keys",
  ]);
});

test("the contract never runs on a host with a node; other needs are named at once", () => {
  expect(refusals({ ...scratch, nodeSigns: ["/root/.znn", "process znnd"] })).toEqual([
    "this machine has a node, or had one: /root/.znn. The contract overwrites its keys; take another machine",
    "this machine has a node, or had one: process znnd. The contract overwrites its keys; take another machine",
  ]);
  const facts = { ...scratch, isLinux: false, isRoot: false, hasApt: false, executable: false };
  expect(refusals(facts)).toEqual([
    "needed: Linux with a running systemd",
    "needed: root, as the controller itself needs it",
    "needed: apt, with which the controller installs its packages",
    "there is no executable controller at /opt/znn-controller",
  ]);
});

/**
 * Lists test files below test/lab that import a lab module of real programs, directly or through a helper beside them.
 */
function filesNeedingReal(): string[] {
  const lab = join(import.meta.dirname, "lab");
  const needs = (file: string): boolean => {
    const texts = [...readFileSync(file, "utf8").matchAll(/ from "(\.[^"]+)"/g)];
    const imports = texts.map(([, path = ""]) => join(dirname(file), path));
    return imports.some(
      (path) =>
        /\/lab\/real\/real(Programs|Network|Node|Signer)\.ts$/.test(path) ||
        // contract() names its skipped half.
        (path.startsWith(lab) && !path.endsWith("/contracts/contract.ts") && existsSync(path) && needs(path)),
    );
  };
  const files = readdirSync(lab, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".test.ts"));
  return files.map((name) => join(lab, name)).filter(needs);
}

test("every suite of a file that needs real programs is a contract, so that its skip counts by name", () => {
  const files = filesNeedingReal();
  expect(files.length).toBeGreaterThan(5);
  const suite = /^(describe|it|test|contract|realOnly)\b/gm;
  const suites = files.flatMap((file) => readFileSync(file, "utf8").match(suite) ?? []);
  expect(suites.length).toBeGreaterThan(5);
  expect(suites.filter((name) => !["contract", "realOnly"].includes(name))).toEqual([]);
});
