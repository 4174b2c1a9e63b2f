import { isBoolean, isCount, isText, parseForm } from "./chainAnswers";

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

const isKey = (value: unknown): value is string | undefined =>
  value === undefined || (isText(value) && /^([A-Za-z0-9+/]{44})?$/.test(value));

/** Parses the result of `embedded.bridge.getBridgeInfo`. @throws if it has another form */
export function parseBridge(result: unknown): BridgeInfo {
  const found = parseForm("embedded.bridge.getBridgeInfo", result, {
    halted: isBoolean,
    unhaltedAt: isCount,
    unhaltDurationInMomentums: isCount,
    allowKeyGen: isBoolean,
    compressedTssECDSAPubKey: isKey,
  });
  return {
    isHalted: found.halted,
    allowsKeyGeneration: found.allowKeyGen,
    unhaltedAt: found.unhaltedAt,
    unhaltDuration: found.unhaltDurationInMomentums,
    key: found.compressedTssECDSAPubKey ?? "",
  };
}
