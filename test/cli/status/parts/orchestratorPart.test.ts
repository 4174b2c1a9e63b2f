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
  ["none", { ...off, hasDirectory: false }, undefined, "none on this host", false],
  [
    "it answers",
    { ...off, active: true },
    { value: { version: "v0.0.9a", status } },
    "v0.0.9a runs here, live, 12 other signers",
    false,
  ],
  [
    "it is silent",
    { ...off, active: true },
    { problem: "nothing listens" },
    "it runs here, but does not answer: nothing listens",
    true,
  ],
  [
    "it starts over and over",
    { ...off, active: true, restarts: 7 },
    { problem: "nothing listens" },
    "it runs here, but does not answer: nothing listens; restarted 7 times (each loss of its node restarts it, too)",
    true,
  ],
  [
    "it should run",
    { ...off, journal: journal("running") },
    undefined,
    "it should run here, but does not: check its service",
    true,
  ],
  [
    "it went, and is fenced",
    { ...off, masked: true, hasKeyStore: false, journal: journal("moved") },
    undefined,
    "it moved to 203.0.113.9; fenced here",
    false,
  ],
  [
    "it went, and the fence is gone",
    { ...off, masked: false, journal: journal("moved") },
    undefined,
    "it moved to 203.0.113.9; NOT fenced here any more",
    true,
  ],
  [
    "its move has begun",
    { ...off, masked: true, journal: journal("staged") },
    undefined,
    'its move is at stage "staged"; it does not run',
    false,
  ],
  [
    "it went, and runs here all the same",
    { ...off, active: true, journal: journal("moved") },
    { value: { version: "v0.0.9a", status } },
    "an orchestrator runs here, but the signer moved to 203.0.113.9: two may sign now. To stop one: docs/orchestrator.md, A second signer",
    true,
  ],
  [
    "it runs before its move has started it",
    { ...off, active: true, journal: journal("staged") },
    { value: { version: "v0.0.9a", status } },
    'an orchestrator runs here, but the move with 203.0.113.9 is at stage "staged": two may sign now. To stop one: docs/orchestrator.md, A second signer',
    true,
  ],
  [
    "it is at work where its move brought it",
    { ...off, active: true, journal: journal("starting") },
    { value: { version: "v0.0.9a", status } },
    "v0.0.9a runs here, live, 12 other signers",
    false,
  ],
  ["installed", { ...off, masked: true }, undefined, "installed, masked and not started", false],
  ["stopped by hand", off, undefined, "it does not run, and is not fenced: a start would make it sign", false],
])("%s", (_name, signer, word, text, isWrong) => {
  const facts: HostFacts = { hasKeyStore: true, node: { active: true, masked: false }, signer, marks: {} };
  expect(describeOrchestrator(facts, word)).toMatchObject({ text, isWrong });
});
