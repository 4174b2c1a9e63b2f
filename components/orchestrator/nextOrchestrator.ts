import type { OrchestratorOutput } from "../../core/journey/outputs.ts";
import { commandsFor } from "../../core/util/commands.ts";
import { unattendedVariable } from "../../core/util/unattended.ts";

/** When the orchestrator moves (this run or a later one), or why it does not move. */
export type MoveTiming = "none" | "now" | "later" | "unwatched" | "removed";

/** Formats what the operator must do before any change in the wallet: move the orchestrator, if that comes next. */
export function formatStepsBeforeWallet(timing: MoveTiming, stack: string): string[] {
  const { up } = commandsFor(stack);
  if (timing === "unwatched")
    return [
      `The orchestrator moves next, but not in an unattended run, and this run had ${unattendedVariable} set. By hand, once the node is synced:`,
      `  env -u ${unattendedVariable} ${up}`,
    ];
  if (timing !== "later") return [];
  return [
    "The orchestrator moves in the next run, because this run did not begin with a synced node. Run again now, and watch it:",
    `  ${up}`,
  ];
}

export function formatOrchestratorSteps(timing: MoveTiming, stack: string, shown?: OrchestratorOutput): string[] {
  if (timing === "later" || timing === "unwatched") return [];
  const run = commandsFor(stack);
  if (timing === "removed")
    return [
      "pillar-host:orchestrator.move is no longer true: nothing was changed on either host" +
        (shown === undefined ? "." : `, the orchestrator stays on the ${shown.side} host (${shown.address}).`),
    ];
  if (timing === "none" || shown === undefined) return [];
  if (shown.why === "moved on")
    return [
      `Another stack has moved the orchestrator on from ${shown.address}. So that this stack moves it no more, run:`,
      `  ${run.remove("orchestrator.move")}`,
    ];
  if (shown.side === "new")
    return [
      `The orchestrator signs here, on ${shown.address} (${shown.version ?? "its version was not asked"}). It keeps the identity of the copied key store.`,
      "When the Pillar has its new producer address, the orchestrator goes on signing with the old key until the bridge's next",
      "key generation, which would exclude it. Before that, give it a key of the new producer address.",
      `The bridge's health page asks each orchestrator at a known address, on port ${shown.rpcPort}: tell the page's`,
      `operators ${shown.address}, and open the port to the page (pillar-host:orchestrator.rpcFrom); until then the page shows this orchestrator as offline.`,
      "Leave the orchestrator on the old host as it is, stopped and fenced, until the new one has signed for some days.",
    ];
  if (shown.why === "raise the attempt" || shown.why === "moved")
    return [
      `The orchestrator signs on the old host (${shown.address}). To move it again:`,
      `  ${run.remove("orchestrator.rollback")}`,
      `  ${run.set("orchestrator.attempt", shown.attempt + 1)} && ${run.up}`,
    ];
  return [`The orchestrator signs on the old host (${shown.address}): there was nothing to roll back.`];
}
