import type { Journal } from "../../../core/orchestrator/rules/journal";
import { moveNamed } from "../../moveNamed";

/** Returns a journal of a move from the host with the key A to the one with the key B. */
export const exampleJournal = (
  side: Journal["side"],
  stage: Journal["stage"],
  more: Partial<Journal> = {},
): Journal => ({
  version: 1,
  move: moveNamed("pillar-host/prod/Anvil/1"),
  direction: "forward",
  generation: 1,
  source: "A",
  target: "B",
  side,
  stage,
  at: "",
  was: {},
  identity: null,
  history: [],
  other: { address: "", hostKey: "" },
  ...more,
});
