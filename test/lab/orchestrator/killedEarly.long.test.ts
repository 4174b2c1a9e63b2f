import { killedAt } from "./killedMove";

killedAt([
  ["there", "in the bulk copy", /orchestrator: bulk copy to/],
  ["there", "at the stop", /orchestrator: stopping the old side/],
  ["there", "at the second backup", /-last-.*tar\.age/],
]);
