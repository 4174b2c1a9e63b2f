import { killedAt } from "./killedMove";

// Where neither side signs. The other boundaries: killedAround.long.test.ts.
killedAt([
  ["there", "at the fence", /orchestrator: fencing the old host/],
  ["back", "at the fence", /orchestrator: fencing the new host/],
]);
