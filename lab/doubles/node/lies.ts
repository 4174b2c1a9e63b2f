import { heightOfHash, type Momentum, momentumHash } from "../chain/momentum";
import type { NodeSettings } from "../chain/settings";
import type { Methods } from "./jsonRpc";

/** The methods that the node admits to have. */
export function admittedMethods(methods: Methods, settings: NodeSettings): Methods {
  const hidden = settings.noRewards ? rewardMethods : [];
  return Object.fromEntries(Object.entries(methods).filter(([name]) => !hidden.includes(name)));
}

/** A momentum with the hashes that the other chain has at its height. */
export function ofOtherChain(momentum: Momentum): Momentum {
  const { height } = momentum;
  return {
    ...momentum,
    hash: momentumHash(otherChainId, height),
    previousHash: momentumHash(otherChainId, height - 1),
  };
}

/** The height of the other chain's momentum with this hash; undefined when it has none. */
export function heightOnOtherChain(hash: string): number | undefined {
  return heightOfHash(otherChainId, hash);
}

const otherChainId = "another chain";

const rewardMethods = [
  "embedded.pillar.getUncollectedReward",
  "embedded.pillar.getFrontierRewardByPage",
  "embedded.pillar.getPillarEpochHistory",
];
