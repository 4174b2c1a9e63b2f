import { z } from "zod";
import { decompressed } from "../orchestrator/keyShare";

/** Properties of the bridge that a test can change. */
export const bridgePatchSchema = z
  .strictObject({
    /** Public key of the bridge's signers in base64. Empty on a chain where no bridge was ever set up. */
    compressedTssECDSAPubKey: z.string(),
    halted: z.boolean(),
    /** Momentum at which the bridge was unhalted. It stays halted for `unhaltDurationInMomentums` after that. */
    unhaltedAt: z.number().int().nonnegative(),
  })
  .partial();

/** Change of the bridge: holds only the changed values. */
export type BridgePatch = z.infer<typeof bridgePatchSchema>;

/** Answer of embedded.bridge.getBridgeInfo, with its fields in the same order. */
export interface BridgeInfo {
  administrator: string;
  compressedTssECDSAPubKey: string;
  decompressedTssECDSAPubKey: string;
  allowKeyGen: boolean;
  halted: boolean;
  unhaltedAt: number;
  unhaltDurationInMomentums: number;
  tssNonce: number;
  metadata: string;
}

/** The bridge's contract. Orchestrators read it on their own schedule, so they notice a halt late. */
export class Bridge {
  /** Values that a node returns if no bridge was set up (go-zenon, vm/embedded/definition/bridge.go). */
  private readonly info: BridgeInfo = {
    administrator: "z1qr9vtwsfr2n0nsxl2nfh6l5esqjh2wfj85cfq9",
    compressedTssECDSAPubKey: "",
    decompressedTssECDSAPubKey: "",
    allowKeyGen: false,
    halted: false,
    unhaltedAt: 0,
    unhaltDurationInMomentums: 2160,
    tssNonce: 0,
    metadata: "{}",
  };

  view(): BridgeInfo {
    return { ...this.info };
  }

  patch(patch: BridgePatch): BridgeInfo {
    Object.assign(this.info, patch);
    this.info.decompressedTssECDSAPubKey = decompressed(this.info.compressedTssECDSAPubKey);
    return this.view();
  }
}
