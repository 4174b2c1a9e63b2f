import { killedAt } from "./killedMove";

killedAt([
  ["there", "at the fence", /orchestrator: fencing the old side/],
  ["there", "at the start", /orchestrator: starting the new side/],
  ["back", "while it is watched", /orchestrator: the orchestrator of the old side answers/],
  ["there", "while it is watched", /orchestrator: the orchestrator of the new side answers/],
]);
