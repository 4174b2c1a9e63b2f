import type { NodeSettings, OrchestratorSettings } from "./settings.ts";

/**
 * A healthy node that starts 600 momentums behind, finds its peers in 4 seconds and catches up in 3. A real one needed 3.5
 * to 4 s among eleven nodes of one machine. Far from each other it dials for up to 15 s, dials a node again after 30 s and
 * searches for more every 4 s at most (go-zenon v0.0.8: p2p/server.go:34, p2p/dial.go:34 and 38).
 */
export const defaultNodeSettings: NodeSettings = {
  rate: 200,
  behind: 600,
  peers: 8,
  peerMs: 500,
  startRefusedMs: 300,
  cacheMs: null,
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
  forceProducer: null,
  noMomentums: null,
  otherChain: false,
  noRewards: false,
  version: null,
  buildSeconds: null,
  buildLines: null,
  forkFrom: null,
  cut: false,
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
  freeze: false,
  crashAfterMs: null,
  stopMs: 1000,
};
