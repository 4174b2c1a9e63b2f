import { expect, test } from "vitest";
import { describeOrchestrator, type OrchestratorAnswer } from "../../../../cli/status/parts/orchestratorPart";
import type { HostFacts } from "../../../../core/retirement/readHost";
import type { Result } from "../../../../core/util/result";

type Signer = HostFacts["signer"];
const off = { active: false, masked: false, hasDirectory: true, hasKeyStore: true, lacks: [] };
const journal = (stage: string) =>
  ({
    stage,
    move: "pillar-host/prod/Anvil/1",
    other: { address: "203.0.113.9", hostKey: "k" },
  }) as unknown as NonNullable<Signer["journal"]>;
const status = { state: 0, stateName: "live", peers: 12 };

test.each<[string, Signer, Result<OrchestratorAnswer> | undefined, string, boolean]>([
  ["describes a host without one", { ...off, hasDirectory: false }, undefined, "none on this host", false],
  [
    "shows its version and state",
    { ...off, active: true },
    { value: { version: "v0.0.9a", status } },
    "v0.0.9a runs here, live, 12 other orchestrators",
    false,
  ],
  [
    "shows why it does not answer",
    { ...off, active: true },
    { problem: "nothing listens" },
    "it runs here, but does not answer: nothing listens",
    true,
  ],
  [
    "counts its restarts",
    { ...off, active: true, restarts: 7 },
    { problem: "nothing listens" },
    "it runs here, but does not answer: nothing listens; restarted 7 times (each loss of its node restarts it, too)",
    true,
  ],
  [
    "says that it should run",
    { ...off, journal: journal("running") },
    undefined,
    "it should run here, but does not: check its unit",
    true,
  ],
  [
    "says where it moved to",
    { ...off, masked: true, hasKeyStore: false, journal: journal("moved") },
    undefined,
    "it moved to 203.0.113.9; fenced here",
    false,
  ],
  [
    "says that its fence is gone",
    { ...off, masked: false, journal: journal("moved") },
    undefined,
    "it moved to 203.0.113.9; NOT fenced here any more",
    true,
  ],
  [
    "names the stage of its move",
    { ...off, masked: true, journal: journal("staged") },
    undefined,
    'its move is at stage "staged"; it does not run',
    false,
  ],
  [
    "says that two may sign after its move",
    { ...off, active: true, journal: journal("moved") },
    { value: { version: "v0.0.9a", status } },
    "it runs here, but it moved to 203.0.113.9: two may sign now. To stop one: docs/orchestrator.md, A second orchestrator",
    true,
  ],
  [
    "says that two may sign before its start",
    { ...off, active: true, journal: journal("staged") },
    { value: { version: "v0.0.9a", status } },
    'it runs here, but the move with 203.0.113.9 is at stage "staged": two may sign now. To stop one: docs/orchestrator.md, A second orchestrator',
    true,
  ],
  [
    "accepts the new host of its move",
    { ...off, active: true, journal: journal("starting") },
    { value: { version: "v0.0.9a", status } },
    "v0.0.9a runs here, live, 12 other orchestrators",
    false,
  ],
  ["says that it is installed", { ...off, masked: true }, undefined, "installed, masked and not started", false],
  [
    "says that it is not fenced",
    off,
    undefined,
    "it does not run, and is not fenced: a start would make it sign",
    false,
  ],
])("%s", (_name, signer, answer, text, isWrong) => {
  const facts: HostFacts = { hasKeyStore: true, node: { active: true, masked: false }, signer, marks: {} };
  expect(describeOrchestrator(facts, answer)).toMatchObject({ text, isWrong });
});
