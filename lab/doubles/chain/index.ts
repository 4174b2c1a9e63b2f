export * from "./chain";
export * from "./client";
export { defaultNodeSettings } from "./defaults";
export type { Momentum } from "./momentum";
export {
  defaultOrchestratorSettings,
  type OrchestratorSettings,
  type OrchestratorSettingsPatch,
  type OrchestratorView,
} from "./orchestrators";
export type { EpochReward, Pillar, PillarPatch, UncollectedReward } from "./pillars";
export type { Slot } from "./production";
export type { NodeReport } from "./reports";
export * from "./serve";
export type { NodeSettings, NodeSettingsPatch } from "./settings";
export type { Beat, DoubleSigner, SignerGap, SignerInterval, SignersTruth } from "./signers";
export * from "./truth";
