import { text } from "node:stream/consumers";
import { Copier } from "../../core/orchestrator/hosts/copier";
import { openHostPair } from "../../core/orchestrator/hosts/hostPair";
import type { MoveInputs } from "../../core/orchestrator/hosts/moveInputs";
import type { Saga } from "../../core/orchestrator/rules/journal";

/** A separate program on the operator's machine: times the bulk copy as a move does it. */
const inputs = JSON.parse(await text(process.stdin)) as MoveInputs;
const saga: Saga = { move: inputs.move, direction: "forward", generation: 1 };
const world = {
  ticks: () => performance.now(),
  sleep: (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds)),
  say: () => undefined,
};
const sides = openHostPair(inputs, "bench", world);
const copier = new Copier(inputs, sides, world.say);
const looks = await sides.look(saga);
await sides.takeLocks(saga, looks);
await sides.step({ side: "new", name: "signer_staging", saga }, looks);
const started = performance.now();
await copier.run(saga, looks, { progress: true });
const seconds = (performance.now() - started) / 1000;
await copier.end(saga, looks);
await sides.dropLocks(saga, looks);
sides.close();
process.stdout.write(JSON.stringify({ seconds }));
