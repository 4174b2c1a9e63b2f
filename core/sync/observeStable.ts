import type { Observation } from "../chain/node";
import type { Clock } from "../util/clock";
import { isAddingMomentum } from "./judgeObservation";

/** Milliseconds between lookups. */
const pause = 1500;
const looks = 3;

/** Observes a node for a decision that is made at once: repeats the lookup while the node may be adding a momentum. */
export async function observeStable(
  observe: () => Promise<Observation>,
  { now, sleep }: Pick<Clock, "now" | "sleep">,
): Promise<Observation> {
  let isReconnected = false;
  for (let left = looks; ; left -= 1) {
    const observation = await observe();
    isReconnected ||= observation.kind === "answer" && observation.isReconnected === true;
    if (left === 1 || !isAddingMomentum(observation, now()))
      return observation.kind === "answer" && isReconnected ? { ...observation, isReconnected } : observation;
    await sleep(pause);
  }
}
