import { isCount } from "./count";

/** The bridge by the chain's own variables (go-zenon, vm/embedded/definition/bridge.go). */
export interface BridgeInfo {
  readonly isHalted: boolean;
  readonly allowsKeyGeneration: boolean;
  /** Height of the momentum; 0 where it never was. */
  readonly unhaltedAt: number;
  /** Momentums that it stays halted after that. */
  readonly unhaltDuration: number;
  /** Its signers' key: compressed, base64. Empty on a chain on which no bridge was ever set up. */
  readonly key: string;
}

/** Checks the form of an `embedded.bridge.getBridgeInfo` result. @throws where it is another one */
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
