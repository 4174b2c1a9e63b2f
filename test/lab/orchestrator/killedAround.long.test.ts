import { killedAt } from "./killedMove";

/** A provider lives on for up to ten seconds when its engine is killed: it must not come to the end of the watch. */
const outlasting = { steadySeconds: 20 };

// Each write is a boundary too: killedAtWrites.long.test.ts.
killedAt([
  ["there", "in the bulk copy", /copying from \S+ to \S+: the old host keeps the key/],
  ["there", "while it is watched", /orchestrator: the orchestrator of the new host answers/, outlasting],
  ["back", "while it is watched", /orchestrator: the orchestrator of the old host answers/, outlasting],
]);
