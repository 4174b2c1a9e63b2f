import { markOwn } from "../../ssh/foreign";
import { assignRoles } from "../rules/journal";
import type { Perform } from "./moveRun";
import { verify } from "./verify";

/** Makes sure that nothing starts on the target: a rollback's first step. */
export const sealTarget: Perform = (run, saga, states) => {
  const { target } = assignRoles(saga);
  run.deps.say(`going back: making sure that nothing starts on ${run.nameOf(target)}`);
  return run.sides.step({ side: target, name: "signer_seal", saga, limitSeconds: 240 }, states);
};

/** Starts the source again and verifies it: a rollback's last step. */
export const restoreSource: Perform = async (run, saga, states) => {
  const { source } = assignRoles(saga);
  run.deps.say(`going back: starting the orchestrator of ${run.nameOf(source)}, which holds the key`);
  const startedAt = run.deps.now();
  const started = await run.sides.step({ side: source, name: "signer_restore", saga }, states);
  await verify({ ...run, side: source, saga }, run.identity ?? null, startedAt);
  return run.sides.step(
    { side: source, name: "signer_settle", saga, variables: markOwn({ stage: "restored" }) },
    started,
  );
};
