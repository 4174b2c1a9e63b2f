import { describe, expect, test } from "vitest";
import { locateOrchestrator, type OrchestratorReading } from "../../../../core/orchestrator/hosts/locateOrchestrator";
import type { OrchestratorFacts } from "../../../../core/orchestrator/rules/hostPairFacts";
import type { Journal } from "../../../../core/orchestrator/rules/journal";
import { exampleJournal } from "../exampleMove";

const journal = (stage: Journal["stage"], side: "old" | "new") =>
  JSON.stringify({
    ...exampleJournal(side, stage),
    move: "pillar-host/prod/Anvil/1",
    other: { address: "192.0.2.99", hostKey: "" },
  });
const host = (address: string, facts: Partial<OrchestratorFacts>): OrchestratorReading => ({
  address,
  seen: { active: "inactive", directory: "none", ...facts } as OrchestratorFacts,
});
const running = { active: "active", directory: "there" };

describe("locating the orchestrator", () => {
  test("finds it where it runs: on the stack's own host or on the old one", () => {
    expect(locateOrchestrator([host("a", running)])).toEqual({ at: 0, runs: true });
    expect(locateOrchestrator([host("a", { active: "inactive" }), host("b", running)])).toEqual({ at: 1, runs: true });
    expect(locateOrchestrator([{ address: "a", seen: { unseen: "ETIMEDOUT" } }, host("b", running)])).toEqual({
      at: 1,
      runs: true,
    });
  });

  test("finds a stopped one that was not moved", () => {
    expect(locateOrchestrator([host("a", { directory: "there" })])).toEqual({ at: 0, runs: false });
    const old = { directory: "there", journal: journal("moved", "old") };
    expect(
      locateOrchestrator([host("a", { directory: "there", journal: journal("running", "new") }), host("b", old)]),
    ).toEqual({
      at: 0,
      runs: false,
    });
  });

  test.each<[string, OrchestratorReading[], string]>([
    ["two running orchestrators", [host("a", running), host("b", running)], "two may sign now"],
    [
      "one that runs on the host that it left",
      [host("a", { ...running, journal: journal("moved", "old") })],
      "two may sign now",
    ],
    ["no running one, and an unreachable host", [{ address: "a", seen: { unseen: "ETIMEDOUT" } }], "no reachable host"],
    ["an active move", [host("a", { directory: "there", journal: journal("fenced", "old") })], "in a move between"],
    [
      "an orchestrator that left",
      [host("a", { directory: "there", journal: journal("moved", "old") })],
      "no orchestrator to back up",
    ],
    ["no orchestrator at all", [host("a", {})], "no orchestrator to back up"],
    ["two directories", [host("a", { directory: "there" }), host("b", { directory: "there" })], "several have its"],
  ])("is not guessed: %s", (_what, hosts, nowhere) => {
    expect(locateOrchestrator(hosts)).toMatchObject({ nowhere: expect.stringContaining(nowhere) });
  });

  test("names the command that finishes a move at work", () => {
    expect(locateOrchestrator([host("a", { directory: "there", journal: journal("fenced", "old") })])).toMatchObject({
      needed: "finish that move: pulumi up -s prod",
    });
  });

  test("a host that it left names its new host", () => {
    const left = locateOrchestrator([host("a", { directory: "there", journal: journal("moved", "old") })]);
    expect(left).toMatchObject({ found: ["none on a, from which it went to 192.0.2.99"] });
  });

  test("reports an unreadable journal", () => {
    expect(() => locateOrchestrator([host("a", { ...running, journal: "{" })])).toThrow(
      "journal of the orchestrator's move",
    );
  });
});
