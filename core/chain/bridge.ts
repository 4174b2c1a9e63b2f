import { isCount } from "./chainAnswers";

/** The bridge's state as the chain stores it (go-zenon, vm/embedded/definition/bridge.go). */
export interface BridgeInfo {
  readonly isHalted: boolean;
  readonly allowsKeyGeneration: boolean;
  /** Height at which the bridge was last unhalted; 0 if never. */
  readonly unhaltedAt: number;
  readonly unhaltDuration: number;
  /** The orchestrators' public key: compressed, base64. Empty on a chain without a bridge. */
  readonly key: string;
}

/** Parses the result of `embedded.bridge.getBridgeInfo`. @throws if it has another form */
export function parseBridge(result: unknown): BridgeInfo {
  const found = (result ?? {}) as Record<string, unknown>;
  const { halted, allowKeyGen, unhaltedAt, unhaltDurationInMomentums: unhaltDuration } = found;
  const { compressedTssECDSAPubKey: key = "" } = found;
  if (
    typeof halted !== "boolean" ||
    typeof allowKeyGen !== "boolean" ||
    !isCount(unhaltedAt) ||
    !isCount(unhaltDuration) ||
    typeof key !== "string" ||
    !/^([A-Za-z0-9+/]{44})?$/.test(key)
  )
    throw new Error(
      "the RPC's embedded.bridge.getBridgeInfo does not have the form {halted, unhaltedAt, unhaltDurationInMomentums, allowKeyGen, compressedTssECDSAPubKey}",
    );
  return { isHalted: halted, allowsKeyGeneration: allowKeyGen, unhaltedAt, unhaltDuration, key };
}
