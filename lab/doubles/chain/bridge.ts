import { z } from "zod";
import { decompressed } from "../orchestrator/keyShare.ts";

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

/** Answer of embedded.bridge.getBridgeInfo, with its fields in the same order. */
export type BridgeInfo = ReturnType<Bridge["view"]>;

/** The bridge's contract. Orchestrators read it on their own schedule, so they notice a halt late. */
export class Bridge {
  /** Values that a node returns if no bridge was set up (go-zenon, vm/embedded/definition/bridge.go). */
  private readonly info = {
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

  view() {
    return { ...this.info };
  }

  patch(patch: z.infer<typeof bridgePatchSchema>) {
    Object.assign(this.info, patch);
    this.info.decompressedTssECDSAPubKey = decompressed(this.info.compressedTssECDSAPubKey);
    return this.view();
  }
}

/** A spork with the fields of embedded.spork.getAll, in the same order. */
const sporkSchema = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{64}$/, "is no hash"),
  name: z.string(),
  description: z.string().default(""),
  activated: z.boolean().default(false),
  enforcementHeight: z.number().int().nonnegative().default(0),
});

export const sporksSchema = z.strictObject({ list: z.array(sporkSchema) });

export type Spork = z.infer<typeof sporkSchema>;
/** A spork as a test sets it: most fields have defaults. */
export type SporkGiven = z.input<typeof sporkSchema>;

const enforced = (id: string, name: string): Spork => ({
  id,
  name,
  description: name,
  activated: true,
  enforcementHeight: 0,
});

/** The network's sporks in 2026. */
export const usualSporks: readonly Spork[] = [
  enforced("6d2b1e6cb4025f2f45533f0fe22e9b7ce2014d91cc960471045fa64eee5a6ba3", "spork-accelerator"),
  enforced("ceb7e3808ef17ea910adda2f3ab547be4cdfb54de8400ce3683258d06be1354b", "spork-htlc"),
  enforced("ddd43466769461c5b5d109c639da0f50a7eeb96ad6e7274b1928a35c431d7b1b", "spork-bridge"),
];
