import type { CutOff } from "../orchestrator/rules/journal.ts";
import { isOurs } from "../registration/registration.ts";
import { type Commands, commandsFor } from "../util/commands.ts";
import { formatUtcMinute, formatUtcSecond } from "../util/timeText.ts";
import { unattendedVariable } from "../util/unattended.ts";
import type { OrchestratorOutput } from "./outputs.ts";
import type { MoveTiming } from "./stackFacts.ts";
import type { Known } from "./stackStages.ts";

/** Formats the orchestrator's move, if it comes before wallet and retirement. */
export function formatMoveTiming({ stack, timing, run }: Known): string[] {
  const { up } = commandsFor(stack);
  if (timing === "unwatched")
    return [
      `The orchestrator moves next, but not in an unattended run, and this run had ${unattendedVariable} set. By hand, once the node is synced:`,
      `  env -u ${unattendedVariable} ${up}`,
    ];
  if (timing !== "later") return [];
  const when = run ? ", because this run did not begin with a synced node. Run again now" : ". Run it now";
  return [`The orchestrator moves in the next run${when}, and watch it:`, `  ${up}`];
}

/** Formats what a move leaves to do. It stands above the next step, and a run says it once. */
export function formatDuties({ timing, orchestrator: found, registration, run }: Known): string[] {
  if (timing !== "now" || found?.side !== "new" || found.why === "moved on") return [];
  const { orchestrator: before, registration: registered } = run?.last ?? {};
  const isKeyDue = registration && isOurs(registration) && registered?.registered !== true;
  return [
    ...(before?.side === "new" ? [] : formatMovedHere(found)),
    ...(isKeyDue
      ? [
          "The orchestrator signs with the old host's key. Give it one of the new",
          "address before the bridge's next key generation, which excludes it",
          "otherwise: docs/orchestrator.md, After the move.",
        ]
      : []),
  ];
}

/** Formats why no orchestrator moved here. */
export function formatOrchestrator(run: Commands, timing: MoveTiming, found: OrchestratorOutput | undefined): string[] {
  if (timing === "removed")
    return [
      "pillar-host:orchestrator.move is no longer true: nothing was changed on either host" +
        (found === undefined ? "." : `, the orchestrator stays on the ${found.side} host (${found.address}).`),
    ];
  if (timing !== "now" || found === undefined) return [];
  if (found.why === "moved on")
    return [
      `Another stack has moved the orchestrator on from ${found.address}. So that this stack moves it no more, run:`,
      `  ${run.remove("orchestrator.move")}`,
    ];
  if (found.side === "new") return [];
  if (found.why === "raise the attempt" || found.why === "moved")
    return [
      `The orchestrator signs on the old host (${found.address}). To move it again:`,
      `  ${run.remove("orchestrator.rollback")}`,
      `  ${run.set("orchestrator.attempt", found.attempt + 1)} && ${run.up}`,
    ];
  return [`The orchestrator signs on the old host (${found.address}): there was nothing to roll back.`];
}

const formatMovedHere = ({ address, version = "its version was not asked", rpcPort }: OrchestratorOutput) => [
  `The orchestrator signs here now, on ${address} (${version}).`,
  `The bridge's health page shows it as offline until its operators know`,
  `${address}, and port ${rpcPort} is open to the page (orchestrator.rpcFrom).`,
];

export const formatNoSigner = ({ since }: CutOff): string =>
  `NO HOST SIGNS since ${formatUtcMinute(since)} (the move was cut off)`;

/** Formats the alarm of a move that was cut off while no host signs, and the command that continues the move. */
export const formatContinueMove = ({ since }: CutOff, command: string): string[] => [
  "The move was cut off while NO host signs: the bridge lacks this orchestrator",
  `since ${formatUtcSecond(since)}. Continue now, it takes seconds:`,
  `  ${command}`,
];
