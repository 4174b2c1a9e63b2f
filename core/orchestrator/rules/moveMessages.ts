import { type Commands, commandsFor } from "../../util/commands";
import { formatUnattendedRefusal } from "../../util/unattended";
import type { HostStates } from "./hostStates";
import { describeKeyLocation, type HostAddresses } from "./keyLocation";

/** Formats why an unattended run does no step of a move. */
export function formatUnattendedStop(states: HostStates, places: HostAddresses): string {
  return formatUnattendedRefusal("move the orchestrator", "up", places.stack, describeKeyLocation(states, places));
}

/** Formats a step's failure before its target was started. */
export function formatStepFailure(failure: string, states: HostStates, places: HostAddresses): string {
  const { up } = commandsFor(places.stack);
  return [failure, describeKeyLocation(states, places), `  Fix what is said above, then: ${up}`].join("\n");
}

/** Formats the question, and the command, whether the operator moved the orchestrator here by hand. */
export function formatManualMoveHint(
  { set, up }: Commands,
  generation: number,
  why = "You brought it here yourself",
): string {
  const word = set("orchestrator.migrateFrom.laterThanMove", generation);
  return `${why}, and the orchestrator can start nowhere else (docs/orchestrator.md)? ${word} && ${up}`;
}

/** Returns problem, need and command if nothing shows where the orchestrator is. `generation`: highest on a host. */
export function describeUnknownHistory(
  why: "record behind" | "first move",
  run: Commands,
  generation = 0,
): readonly string[] {
  const bring =
    "bring the event log of the machine that ran the last move (docs/unattended.md): the orchestrator may be at work elsewhere";
  if (why === "record behind")
    return [
      "the event log has fewer moves of this orchestrator than its hosts have recorded",
      bring,
      formatManualMoveHint(run, generation, "That event log is lost"),
    ];
  const word = run.set("orchestrator.migrateFrom.firstMove", "acknowledged");
  return [
    "no move of this orchestrator is known, neither by the event log nor by a journal",
    `confirm once that no move of this orchestrator ever began. If one began, ${bring}`,
    `Was this orchestrator never moved? ${word} && ${run.up}`,
  ];
}
