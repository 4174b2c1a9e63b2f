import { expect, test } from "vitest";
import { formatOrchestratorSteps, formatStepsBeforeWallet } from "../../../components/orchestrator/nextOrchestrator.ts";

const shown = { side: "new", address: "203.0.113.9", why: "moved", attempt: 1, rpcPort: 55000, version: "v0.0.9a" };

test.each([
  ["later", "  pulumi up -s prod-2"],
  ["unwatched", "  env -u PILLAR_HOST_UNATTENDED pulumi up -s prod-2"],
  ["now", undefined],
] as const)("proposes the run that moves the orchestrator before the wallet's update: %s", (timing, command) => {
  expect(formatStepsBeforeWallet(timing, "prod-2")[1]).toBe(command);
  expect(formatOrchestratorSteps(timing, "prod-2")).toEqual([]);
});

test("says where the orchestrator stays if the move is removed from the configuration", () => {
  expect(formatOrchestratorSteps("removed", "prod-2", shown)).toEqual([
    "pillar-host:orchestrator.move is no longer true: nothing was changed on either host, the orchestrator stays on the new host (203.0.113.9).",
  ]);
});

test("says after a move what to do about the producer key, the health page and the port", () => {
  const next = formatOrchestratorSteps("now", "prod-2", { ...shown, rpcPort: 5000 }).join("\n");
  expect(next).toContain("give it a key of the new producer address");
  expect(next).toMatch(/on port 5000: tell .*\noperators 203\.0\.113\.9, and open the port .*orchestrator\.rpcFrom/);
});

test("says how to move again after a rollback", () => {
  const back = { ...shown, side: "old", address: "198.51.100.7" };
  expect(formatOrchestratorSteps("now", "prod-2", back).at(-1)).toBe(
    "  pulumi config set --path pillar-host:orchestrator.attempt 2 -s prod-2 && pulumi up -s prod-2",
  );
  expect(formatOrchestratorSteps("now", "prod-2", { ...back, why: "nothing to roll back" })).toEqual([
    "The orchestrator signs on the old host (198.51.100.7): there was nothing to roll back.",
  ]);
});

test("says how to forget an orchestrator that another stack moved on", () => {
  expect(formatOrchestratorSteps("now", "prod-2", { ...shown, why: "moved on" }).at(-1)).toBe(
    "  pulumi config rm --path pillar-host:orchestrator.move -s prod-2",
  );
});
