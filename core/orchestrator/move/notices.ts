import { commandsFor } from "../../util/commands";
import { firstLine } from "../../util/firstLine";
import type { MoveInputs } from "../hosts/moveInputs";
import type { MoveOutputs } from "./move";

/** What is told of a move that ended well; nothing where the last run had found it so already, or nothing moved. */
export function movedText(
  inputs: Pick<MoveInputs, "old" | "new">,
  before: Partial<MoveOutputs>,
  { holder, movedAt, secondsWithoutSigner }: MoveOutputs,
): string | undefined {
  if (before.holder === holder || movedAt === undefined) return undefined;
  const gap =
    secondsWithoutSigner === undefined ? "" : `; the bridge was without this signer for ${secondsWithoutSigner} s`;
  return `the orchestrator signs on ${inputs[holder].host.ssh.address} now, the ${holder} side${gap}`;
}

/** What is told of one that did not, in a line: the run itself says where the signer is. */
export function moveFailed({ message }: Error, stack: string): string {
  return `the orchestrator's move ended in an error: ${firstLine(message)}. Where the signer is: ${commandsFor(stack).status()}`;
}
