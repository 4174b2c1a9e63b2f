import { commandsFor } from "../../core/util/commands";
import { unattendedVariable } from "../../core/util/unattended";
import type { OrchestratorShown } from "./orchestrator";

/** The time of the orchestrator's move, or the reason for none. */
export type MoveTiming = "none" | "now" | "later" | "unwatched" | "removed";

/** Formats the operator's steps before any change in the wallet: the orchestrator's move, if it comes next. */
export function formatStepsBeforeWallet(timing: MoveTiming, stack: string): string[] {
  const { up } = commandsFor(stack);
  if (timing === "unwatched")
    return [
      `The orchestrator moves next, in a run that somebody watches: this one had ${unattendedVariable} set. By hand, once the node is synced:`,
      `  env -u ${unattendedVariable} ${up}`,
    ];
  if (timing !== "later") return [];
  return [
    "The orchestrator moves next: this run did not begin with a synced node. Run it again now, and stay with it:",
    `  ${up}`,
  ];
}

export function formatOrchestratorSteps(timing: MoveTiming, stack: string, shown?: OrchestratorShown): string[] {
  if (timing === "later" || timing === "unwatched") return [];
  const run = commandsFor(stack);
  if (timing === "removed")
    return [
      "pillar-host:orchestrator.migrateFrom is configured no more: nothing was changed on either host" +
        (shown === undefined ? "." : `, the orchestrator stays on the ${shown.side} host (${shown.address}).`),
    ];
  if (timing === "none" || shown === undefined) return [];
  if (shown.why === "moved on")
    return [
      `The orchestrator is on ${shown.address} no more: another stack moved it on from there. This one moves it no more:`,
      `  ${run.remove("orchestrator.migrateFrom")}`,
    ];
  if (shown.side === "new")
    return [
      `The orchestrator signs here, on ${shown.address} (${shown.version ?? "its version was not asked"}). It keeps the identity of the copied key store.`,
      "When the Pillar has its new producer address, the orchestrator goes on signing with the old key until the bridge's next",
      "key generation, which would exclude it. Before that, give it a key of the new producer address.",
      `The bridge's health page asks each orchestrator at an address that it was told, on port ${shown.rpcPort}: tell its`,
      `operators ${shown.address}, and open the port to the page (pillar-host:orchestrator.rpcFrom); until then it shows this orchestrator as offline.`,
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
