import { expect, test } from "vitest";
import {
  locateOrchestrator,
  type OrchestratorReading,
} from "../../../../core/orchestrator/hosts/locateOrchestrator.ts";
import type { OrchestratorState } from "../../../../core/orchestrator/hosts/orchestratorFacts.ts";
import { exampleJournal, exampleStages } from "../exampleMove.ts";

const host = (address: string, unit: string, facts: Partial<OrchestratorState> = {}): OrchestratorReading => ({
  address,
  seen: { active: unit === "active", journal: undefined, ...facts },
});
const silent = { address: "a", seen: { unseen: "ETIMEDOUT" } };
const left = { journal: exampleJournal("old", "moved") };
const locate = (hosts: readonly OrchestratorReading[]) => locateOrchestrator(hosts, "AGAIN");

test("finds the host on which the orchestrator runs", () => {
  expect(locate([host("a", "inactive", left), host("b", "active")]).address).toBe("b");
  expect(locate([silent, host("b", "active")]).address).toBe("b");
});

// As status says: a host whose journal lets an orchestrator run has a share worth a backup.
test.each(exampleStages)("takes a running orchestrator at the stage %s if one may run there", (stage) => {
  const find = () => locate([host("a", "active", { journal: exampleJournal("old", stage) })]).address;
  if (["stopping", "restoring", "restored", "starting", "running"].includes(stage)) expect(find()).toBe("a");
  else expect(find).toThrow(/two may sign now/);
});

test.each<[string, readonly OrchestratorReading[], RegExp]>([
  ["two running orchestrators", [host("a", "active"), host("b", "active")], /two may sign now/],
  ["one on the host that it left", [host("a", "active", left)], /two may sign now\n.*journal: moved/],
  ["an unreachable host", [silent], /no running orchestrator to back up\n {2}found: a: ETIMEDOUT/],
  ["a stopped orchestrator", [host("a", "inactive")], /no running orch.*\n.*none\n.*\n {2}Then: AGAIN/],
])("does not guess with %s", (_what, hosts, problem) => {
  expect(() => locate(hosts)).toThrow(problem);
});
