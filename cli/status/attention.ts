import { findProblems } from "./parts/hostProblemsPart";
import { getValue } from "./parts/statusParts";
import type { StackView } from "./stackView";

/** `step`: take the next step at any time. `wait`: the stack only needs time. `attention`: solve a problem. */
export type Attention = "nothing" | "step" | "wait" | "attention";

export function decideAttention(view: StackView): Attention {
  const { lifecycle, synced, parts } = view;
  if (getValue(parts?.orchestrator)?.isWrong) return "attention";
  if (parts && findProblems(parts, view.stack).some(({ isNow }) => isNow)) return "attention";
  if (lifecycle === "retiring") return decideRetiringAttention(view);
  const registration = getValue(parts?.registration);
  if (registration?.kind === "tooEarly") return "attention";
  if (!synced) return "wait";
  if (lifecycle === "adopted") return "nothing";
  switch (registration?.kind) {
    case "producing":
      return "nothing";
    case "registered":
      return registration.isLate ? "attention" : "wait";
    case "foreign":
      return "attention";
    case "earlier":
      return registration.wasOurs ? "attention" : "step";
    // Also if nobody has registered the Pillar: the node is synced, so the operator can.
    default:
      return "step";
  }
}

function decideRetiringAttention({ state, parts }: StackView): Attention {
  if (!state.isBegun) return "nothing";
  if (parts === undefined) return "wait";
  const unmet = getValue(parts.destroy);
  if ("problem" in parts.node || unmet === undefined) return "attention";
  return unmet.length === 0 ? "step" : "wait";
}

/** Decides the exit code of a host that answered. */
export function decideExitCode(needs: Attention): number {
  return needs === "nothing" || needs === "step" ? 0 : 1;
}
