import { killedAt } from "./killedMove";

/** A provider lives on for up to ten seconds when its engine is killed: it must not come to the end of the watch. */
const outlasting = { steadySeconds: 20 };

killedAt([
  ["there", "at the start", /orchestrator: starting the new side/],
  ["back", "while it is watched", /orchestrator: the orchestrator of the old side answers/, outlasting],
  ["there", "while it is watched", /orchestrator: the orchestrator of the new side answers/, outlasting],
]);
