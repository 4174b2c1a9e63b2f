import { expect, test } from "vitest";
import { locateOrchestrator, type OrchestratorReading } from "../../../../core/orchestrator/hosts/locateOrchestrator";
import type { OrchestratorFacts } from "../../../../core/orchestrator/rules/hostPairFacts";
import type { Journal } from "../../../../core/orchestrator/rules/journal";
import { exampleJournal } from "../exampleMove";

const journal = (stage: Journal["stage"], side: "old" | "new" = "old") =>
  exampleJournal(side, stage, { other: { address: "192.0.2.99", hostKey: "" } });
const host = (address: string, facts: Partial<OrchestratorFacts>): OrchestratorReading => ({
  address,
  seen: { active: "inactive", directory: "none", ...facts } as OrchestratorFacts,
});
const silent = { address: "a", seen: { unseen: "ETIMEDOUT" } };
const running = { active: "active", directory: "there" };
const there = { directory: "there" };
const stopped = (address: string, journal: Journal) => host(address, { ...there, journal });
const inMove = /in a move between[\s\S]*\n {2}needed: finish that move: pulumi up -s prod\n {2}Then: AGAIN$/;
const left = /no orchestrator to back up\n {2}found: a: its directory, .* to or from 192\.0\.2\.99 is at "moved"/;
const locate = (hosts: readonly OrchestratorReading[]) => locateOrchestrator(hosts, "AGAIN");

test.each<[string, readonly OrchestratorReading[], string]>([
  ["where it runs", [host("a", running)], "a"],
  ["where it runs on the other host", [host("a", {}), host("b", running)], "b"],
  ["where it runs beside an unreachable host", [silent, host("b", running)], "b"],
  ["where it is stopped and was not moved", [host("a", there)], "a"],
  ["where it is stopped after a move", [stopped("a", journal("running", "new")), stopped("b", journal("moved"))], "a"],
])("finds the orchestrator %s", (_where, hosts, address) => {
  expect(locate(hosts).address).toBe(address);
});

test.each<[string, readonly OrchestratorReading[], RegExp]>([
  ["two running orchestrators", [host("a", running), host("b", running)], /two may sign now/],
  ["one on the host that it left", [host("a", { ...running, journal: journal("moved") })], /two may sign now/],
  ["no running one, and an unreachable host", [silent], /no reachable host\n {2}found: a: ETIMEDOUT/],
  ["an active move", [stopped("a", journal("fenced"))], inMove],
  ["an orchestrator that left", [stopped("a", journal("moved"))], left],
  ["no orchestrator at all", [host("a", {})], /no orchestrator to back up/],
  ["two directories", [host("a", there), host("b", there)], /several have its/],
])("does not guess with %s", (_what, hosts, problem) => {
  expect(() => locate(hosts)).toThrow(problem);
});
