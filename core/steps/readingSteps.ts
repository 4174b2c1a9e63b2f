import type { StackConfig } from "../config/config";
import { createScript, type Step } from "./step";
import { createNodeVariables } from "./stepVariables";

/** Prints `on`, `off`, or what else restarts a synced node. @param isProved true if the gate has proved the sync */
export function hourlyRestartNow({ node }: Pick<StackConfig, "node">, isProved: boolean): Step {
  return {
    name: "hourlyRestartNow",
    limitSeconds: 15,
    readsOnly: true,
    quiet: true,
    script: createScript(["node/hourlyRestart"], { service: node.service, cron_action: "look", node_synced: isProved }),
  };
}

/** Prints the SHA-256 of the producer address in the node's configuration, or nothing. */
export function addressDigest({ node }: Pick<StackConfig, "node">): Step {
  return {
    name: "addressDigest",
    limitSeconds: 15,
    readsOnly: true,
    quiet: true,
    script: createScript(["node/configuredAddress", "node/addressDigest"], { data_dir: node.dataDir }),
  };
}

/** Prints service, peers, disk, memory, clock and the latest log lines, without secrets. */
export function facts({ node }: StackConfig, options: { logLines: number; withStages: boolean }): Step {
  return {
    name: "facts",
    limitSeconds: 25,
    readsOnly: true,
    quiet: true,
    script: createScript(["host/hostFacts"], {
      ...createNodeVariables({ node }),
      p2p_port: node.p2pPort,
      log_lines: options.logLines,
      with_stages: options.withStages,
    }),
  };
}
