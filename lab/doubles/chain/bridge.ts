import { z } from "zod";
import { decompressed } from "../orchestrator/keyShare";

const count = z.number().int().nonnegative();

/** What a test can change of the bridge. */
export const bridgePatchSchema = z
  .strictObject({
    /** The signers' key, base64; empty on a chain on which no bridge was ever set up. */
    compressedTssECDSAPubKey: z.string(),
    allowKeyGen: z.boolean(),
    halted: z.boolean(),
    /** Heights in momentums: for so many after it was unhalted, it stays halted. */
    unhaltedAt: count,
    unhaltDurationInMomentums: count,
  })
  .partial();

/** A change of the bridge: the values that are given. */
export type BridgePatch = { [K in keyof z.infer<typeof bridgePatchSchema>]: z.infer<typeof bridgePatchSchema>[K] };

/** What embedded.bridge.getBridgeInfo gives, in its order. */
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

/** The bridge's contract. What its signers make of it is theirs: they learn of a halt late. */
export class Bridge {
  /** As the node answers where none was set up (go-zenon, vm/embedded/definition/bridge.go). */
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
    for (const [name, value] of Object.entries(patch))
      if (value !== undefined) Object.assign(this.info, { [name]: value });
    this.info.decompressedTssECDSAPubKey = decompressed(this.info.compressedTssECDSAPubKey);
    return this.view();
  }
}
