import type { NodeSettings } from "../chain/settings";
import { type Momentum, momentumHash } from "../chain/timeline";
import type { Methods } from "./jsonRpc";

/** Returns the methods that the node supports according to its settings. */
export function admittedMethods(methods: Methods, settings: NodeSettings): Methods {
  const hidden = settings.noRewards ? rewardMethods : [];
  return Object.fromEntries(Object.entries(methods).filter(([name]) => !hidden.includes(name)));
}

/** Returns a momentum with the hashes that the other chain has at its height. */
export function ofOtherChain(momentum: Momentum): Momentum {
  const { height } = momentum;
  return {
    ...momentum,
    hash: momentumHash(otherChainId, height),
    previousHash: momentumHash(otherChainId, height - 1),
  };
}

const otherChainId = "another chain";

const rewardMethods = [
  "embedded.pillar.getUncollectedReward",
  "embedded.pillar.getFrontierRewardByPage",
  "embedded.pillar.getPillarEpochHistory",
];
