import { killedAt } from "./killedMove";

killedAt([
  ["there", "in the bulk copy", /copying from \S+ to \S+: the old side holds the key/],
  ["there", "in the copy after it", /orchestrator: bulk copy to/],
  ["there", "at the stop", /orchestrator: stopping the old side/],
  ["there", "at the second backup", /-last-.*tar\.age/],
]);
