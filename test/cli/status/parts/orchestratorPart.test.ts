import { expect, test } from "vitest";
import { describeOrchestrator, type OrchestratorAnswer } from "../../../../cli/status/parts/statusParts.ts";
import type { HostFacts } from "../../../../core/retirement/readHost.ts";
import type { Result } from "../../../../core/util/result.ts";
import { retirementFactsOf } from "../../../core/host/printedFacts.ts";

type Orchestrator = HostFacts["orchestrator"];
const off = retirementFactsOf([
  "orchestratorDirectory=yes",
  "orchestratorKeyStore=yes",
  "nodeActive=yes",
  "orchestrator.NRestarts=0",
]);
const { orchestrator: idle } = retirementFactsOf(["orchestrator.NRestarts=7"]);
const { unit } = retirementFactsOf(["orchestrator.UnitFileState=disabled"]).orchestrator;
const bootless = { unit };
const other = { address: "203.0.113.9", hostKey: "k" };
const move = { project: "pillar-host", stack: "prod-2", pillar: "Anvil", attempt: 1 };
const history = [{ stage: "stopping", at: "2026-11-30T07:29:20Z" }];
const at = (stage: string) => ({ journal: { stage, move, other, history } }) as unknown as Partial<Orchestrator>;
const status = { state: 0, stateName: "live", peers: 12 };

const signing: Result<OrchestratorAnswer> = { value: { version: "v0.0.9a", status } };
const silent: Result<OrchestratorAnswer> = { problem: "nothing listens" };

test.each<[string, Partial<Orchestrator>, Result<OrchestratorAnswer> | undefined, string, boolean]>([
  ["describes a host without one", { hasDirectory: false }, undefined, "none on this host", false],
  ["shows its state", { active: true }, signing, "v0.0.9a runs here, live, 12 other orchestrators", false],
  ["shows why it does not answer", { active: true }, silent, "does not answer: nothing listens", true],
  ["counts its restarts", { active: true, unit: idle.unit }, silent, "nothing listens; restarted 7 times", true],
  ["says that it should run", { ...at("running") }, undefined, "it should run here, but does not", true],
  [
    "says where it is",
    { masked: true, hasKeyStore: false, ...at("moved") },
    undefined,
    "moved to 203.0.113.9; fenced",
    false,
  ],
  ["says that its fence is gone", { ...at("moved") }, undefined, "NOT fenced here any more", true],
  ["names the stage of its move", { masked: true, ...at("staging") }, undefined, 'at stage "staging"', false],
  [
    "says since when no host signs",
    { masked: true, ...at("staged") },
    undefined,
    'NO HOST SIGNS since 2026-11-30 07:29 UTC: its move was cut off ("staged")',
    true,
  ],
  ["says that two may sign after", { active: true, ...at("moved") }, signing, "to 203.0.113.9: two may sign now", true],
  [
    "says that two may sign before its start",
    { active: true, ...at("staged") },
    signing,
    'the move to or from 203.0.113.9 is at stage "staged": two may sign now',
    true,
  ],
  ["accepts the new host of its move", { active: true, ...at("starting") }, signing, "v0.0.9a runs here", false],
  [
    "says that it uses a node of the host that it left",
    { active: true, ...at("running"), connections: [{ host: "203.0.113.9", port: 35998 }] },
    signing,
    "live, 12 other orchestrators, but it uses a node of 203.0.113.9",
    true,
  ],
  [
    "says that no boot starts it",
    { active: true, ...bootless },
    signing,
    "but no boot starts it (systemctl enable",
    true,
  ],
  ["accepts that before its move ends", { active: true, ...bootless, ...at("starting") }, signing, "runs here", false],
  [
    "accepts any other node",
    { active: true, ...at("running"), connections: [{ host: "203.0.113.90", port: 35998 }] },
    signing,
    "v0.0.9a runs here, live",
    false,
  ],
  ["says that it is installed", { masked: true }, undefined, "installed, masked and not started", false],
  ["says that it is not fenced", {}, undefined, "it does not run, and is not fenced", false],
])("%s", (_name, orchestrator, answer, text, isWrong) => {
  const facts: HostFacts = { ...off, orchestrator: { ...off.orchestrator, ...orchestrator } };
  expect(describeOrchestrator(facts, answer)).toMatchObject({ text: expect.stringContaining(text), isWrong });
});
