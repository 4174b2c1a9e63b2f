import type { NodeSettings, OrchestratorSettings } from "./settings";

/** A healthy node that starts 600 momentums behind and catches up in 3 seconds. */
export const defaultNodeSettings: NodeSettings = {
  rate: 200,
  behind: 600,
  peers: 8,
  startRefusedMs: 300,
  connectMs: 500,
  forceTarget: null,
  forceHeight: null,
  staleTarget: false,
  flapMs: null,
  stall: false,
  freeze: false,
  slowMs: 0,
  rpcDown: false,
  crashAfterMs: null,
  rawAnswer: null,
  cutAnswer: false,
  nullPillar: false,
  otherChain: false,
  noRewards: false,
  version: null,
  buildSeconds: null,
  buildLines: null,
  failBuild: null,
  unknownQuestion: null,
  cores: null,
  memoryBytes: null,
};

export const defaultOrchestratorSettings: OrchestratorSettings = {
  syncPollMs: 15_000,
  version: null,
  halted: false,
  state: null,
  rpcDown: false,
  crashAfterMs: null,
  stopMs: 1000,
};
