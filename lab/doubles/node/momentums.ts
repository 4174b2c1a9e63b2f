import { createHash } from "node:crypto";
import type { ChainClient } from "../chain/client";
import type { NodeSettings } from "../chain/settings";
import { type Momentum, momentumHash } from "../chain/timeline";
import { type Methods, RpcError } from "./rpcServer";
import type { SyncInfo } from "./sync";

/** The parts of the node that the momentum methods need. */
export interface MomentumsBackend {
  chain: ChainClient;
  syncInfo(): SyncInfo;
  /** Returns the true height. */
  height(): number;
  settings(): NodeSettings;
}

/** Returns the methods that show momentums. They show none above the node's own height. */
export function momentumMethods(node: MomentumsBackend): Methods {
  const frontier = () => Math.max(1, node.height());
  const claimed = () => Math.max(1, node.syncInfo().currentHeight);
  // A node that claims a lower height shows no momentum above that height.
  const newest = () => Math.min(frontier(), claimed());
  const told = (momentum: Momentum) => (node.settings().otherChain ? ofOtherChain(momentum) : momentum);
  return {
    "ledger.getFrontierMomentum": async () => {
      const height = claimed();
      const momentum = await node.chain.momentum(frontier());
      if (momentum === null) throw new Error("no frontier momentum");
      return shownMomentum({ ...told(momentum), height });
    },
    "ledger.getMomentumsByHeight": async (from: number, count: number) => {
      if (from === 0) throw new RpcError(-32000, "height parameter must be strictly greater than zero");
      if (count > maxCount) throw new RpcError(-32000, "count parameter is too big");
      const last = Math.min(newest(), from + count - 1);
      const list = last < from ? [] : await node.chain.momentums(from, last - from + 1);
      // The real node counts the whole chain here, not the list.
      return { count: claimed(), list: list.map((momentum) => shownMomentum(told(momentum))) };
    },
    "ledger.getMomentumBeforeTime": async (seconds: number) => {
      const found = await node.chain.momentumBefore(seconds);
      if (found === null) return null;
      const momentum = found.height <= frontier() ? found : await node.chain.momentum(frontier());
      return momentum === null ? null : shownMomentum(told(momentum));
    },
  };
}

/** Returns a momentum with the hashes that the other chain has at its height. */
function ofOtherChain(momentum: Momentum): Momentum {
  const hashAt = (height: number) => momentumHash("another chain", height);
  return { ...momentum, hash: hashAt(momentum.height), previousHash: hashAt(momentum.height - 1) };
}

function shownMomentum(momentum: Momentum) {
  return {
    version: 1,
    chainIdentifier: 1,
    hash: momentum.hash,
    previousHash: momentum.previousHash,
    height: momentum.height,
    timestamp: momentum.timestamp,
    data: "",
    content: [],
    changesHash: createHash("sha256").update(`changes ${momentum.hash}`).digest("hex"),
    publicKey: "",
    signature: "",
    producer: momentum.producer,
  };
}

/** Largest number of momentums in one answer. */
const maxCount = 1024;
