import { commandsFor } from "../../util/commands";
import { takeFirstLine } from "../../util/firstLine";
import type { MoveInputs } from "../hosts/moveInputs";
import type { MoveOutputs } from "./move";

/** Formats the notification of a successful move; undefined if nothing moved, or it was reported before. */
export function formatMoveNotice(
  inputs: Pick<MoveInputs, "old" | "new">,
  before: Partial<MoveOutputs>,
  { holder, movedAt, secondsWithoutSigner }: MoveOutputs,
): string | undefined {
  if (before.holder === holder || movedAt === undefined) return undefined;
  const gap =
    secondsWithoutSigner === undefined
      ? ""
      : `; the bridge was without this orchestrator for ${secondsWithoutSigner} s`;
  return `the orchestrator signs on ${inputs[holder].host.ssh.address} now, the ${holder} host${gap}`;
}

/** Formats the notification of a failed move; the run itself says where the orchestrator is. */
export function formatMoveFailure({ message }: Error, stack: string): string {
  return `the orchestrator's move ended in an error: ${takeFirstLine(message)}. Where the orchestrator is: ${commandsFor(stack).status()}`;
}
