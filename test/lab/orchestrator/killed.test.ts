import { killedAt } from "./killedMove";

// Kills while neither host signs. The other boundaries: killedAround.long.test.ts.
killedAt([
  ["there", "at the fence", /orchestrator: fencing the old host/],
  ["back", "at the fence", /orchestrator: fencing the new host/],
]);
