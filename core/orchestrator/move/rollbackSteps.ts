import { own } from "../../ssh/foreign";
import { sidesOf } from "../rules/journal";
import type { Perform } from "./moveRun";
import { verify } from "./verify";

/** Makes sure that nothing starts on the target: a rollback's first step. */
export const rollbackSeal: Perform = (run, saga, looks) => {
  const { target } = sidesOf(saga);
  run.deps.say(`going back: making sure that nothing starts on ${run.nameOf(target)}`);
  return run.sides.step({ side: target, name: "signer_seal", saga, limitSeconds: 240 }, looks);
};

/** Starts the source again and verifies it: a rollback's last step. */
export const rollbackRestore: Perform = async (run, saga, looks) => {
  const { source } = sidesOf(saga);
  run.deps.say(`going back: starting ${run.nameOf(source)}, which holds the key`);
  const startedAt = run.deps.now();
  const started = await run.sides.step({ side: source, name: "signer_restore", saga }, looks);
  await verify({ ...run, side: source, saga }, run.identity ?? null, startedAt);
  return run.sides.step({ side: source, name: "signer_settle", saga, variables: own({ stage: "restored" }) }, started);
};
