import { isBoolean, isCount, isText, parseForm } from "./chainAnswers.ts";

/** The bridge's state as the chain stores it (go-zenon, vm/embedded/definition/bridge.go). */
export type BridgeInfo = ReturnType<typeof parseBridge>;

const isKey = (value: unknown): value is string | undefined =>
  value === undefined || (isText(value) && /^([A-Za-z0-9+/]{44})?$/.test(value));

/** Parses the result of `embedded.bridge.getBridgeInfo`. @throws if it has another form */
export function parseBridge(result: unknown) {
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
    /** Height at which the bridge was last unhalted; 0 if never. */
    unhaltedAt: found.unhaltedAt,
    unhaltDuration: found.unhaltDurationInMomentums,
    /** The orchestrators' public key: compressed, base64. Empty on a chain without a bridge. */
    key: found.compressedTssECDSAPubKey ?? "",
  };
}
