import { formatSyncAgain, nodeDatabases } from "../chain/nodeDatabases.ts";
import { findNewHostGap, formatRequirement, installLines } from "../chain/requiredVersions.ts";
import { createVersionRules } from "../chain/versionRules.ts";
import { releaseSuffixes } from "../chain/versions.ts";
import type { StackConfig } from "../config/config.ts";
import { namedDistributions, supportedDistributions } from "../config/distributions.ts";
import { ideal } from "../config/hostSchema.ts";
import { isAddress } from "../util/address.ts";
import { createScript, type Step } from "./step.ts";
import {
  createBuildVariables,
  createControllerVariables,
  createNodeVariables,
  formatReservedPorts,
  getControllerRelease,
  listOwnPorts,
  releaseVariables,
} from "./stepVariables.ts";

/** Share of the nominal memory that the kernel reports: firmware and kernel keep up to a tenth. */
const memoryShare = 0.9;

export function cloudInit(): Step {
  return {
    name: "cloudInit",
    limitSeconds: 1800,
    script: createScript(["host/cloudInit"], { wait_seconds: 900 }),
  };
}

// Steps and sections are numbered as in docs/specification.md. If no procedure is named, steps are procedure A's.

/** Checks steps 1 to 5 of procedure A and section 8, and reports all shortfalls at once. Changes nothing. */
export function preflight(config: StackConfig, identity: string): Step {
  const { minimums } = config.host;
  const { node, orchestrator, controller } = config;
  const gap = findNewHostGap(controller.source, createVersionRules(config), node.release?.version);
  return {
    name: "preflight",
    limitSeconds: 300,
    readsOnly: true,
    script: createScript(["host/goToolchain", "host/preflight"], {
      ...createBuildVariables(config),
      stack_identity: identity,
      service: node.service,
      orchestrator_service: orchestrator.service,
      data_dir: node.dataDir,
      controller_dir: controller.directory,
      named_distributions: namedDistributions,
      distributions: [...supportedDistributions, ...config.host.acceptDistributions],
      minimum_cores: minimums.cores,
      minimum_memory_gb: minimums.memoryGb,
      minimum_memory_kb: Math.floor(minimums.memoryGb * 1024 * 1024 * memoryShare),
      ideal_cores: ideal.cores,
      ideal_memory_gb: ideal.memoryGb,
      ideal_memory_kb: Math.floor(ideal.memoryGb * 1024 * 1024 * memoryShare),
      minimum_disk_kb: Math.ceil((minimums.diskGb * 1e9) / 1024),
      later_addresses: [
        ...controller.addresses.map((url) => `controller.addresses=${url}`),
        controller.go && `controller.go.url=${controller.go.url}`,
        node.release && `node.release.url=${node.release.url}`,
        orchestrator.release && `orchestrator.release.url=${orchestrator.release.url}`,
      ].filter((each) => each !== undefined),
      release_url: getControllerRelease(config).url,
      ports: [...listOwnPorts(config).map((port) => `${port}/tcp`), `${node.p2pPort}/udp`],
      node_version: node.release?.version ?? "",
      required_version: gap?.leastVersion ?? "",
      required_remedy: gap && `${formatRequirement(gap)}: ${installLines(gap)[0]}`,
      release_suffixes: releaseSuffixes,
    }),
  };
}

/**
 * Marks the host as this stack's, lets the node end its database writes at a stop, reserves its ports (docs/chain.md,
 * Node) and starts a node that was shut down. `shutDownAt`, of the last shutdown, makes the step run again after it.
 */
export function prepare(config: StackConfig, identity: string, shutDownAt?: string): Step {
  const { node, orchestrator } = config;
  return {
    name: "prepare",
    limitSeconds: 60,
    script: createScript(["node/nodeStop", "node/nodeMask", "host/prepare"], {
      stack_identity: identity,
      service: node.service,
      orchestrator_service: orchestrator.service,
      shut_down_at: shutDownAt,
      reserved_ports: formatReservedPorts(listOwnPorts(config)),
    }),
  };
}

/** Installs packages (steps 6 and 7), once in the life of a host. */
export function packages(config: StackConfig): Step {
  return {
    name: "packages",
    limitSeconds: 3 * 3600,
    script: createScript(["host/kernelHeaders", "host/packages"], {
      hourly_restart: config.sync.hourlyRestart,
      lock_seconds: 1800,
    }),
  };
}

/** Installs the controller (step 8), again when its release changes; leaves the node alone. */
export function controller(config: StackConfig): Step {
  return {
    name: "controller",
    limitSeconds: 3600,
    script: createScript(["lib/releaseDownload", "host/goToolchain", "node/controller"], {
      ...createControllerVariables(config),
      ...createBuildVariables(config),
      ...releaseVariables(getControllerRelease(config)),
      minimum_mbps: config.host.minimums.bandwidthMbps,
    }),
  };
}

/** Sets the hourly restart (step 9, before the sync), or removes it (step 14 after it, and section 1.3). */
export function hourlyRestart(config: StackConfig, when: "syncing" | "synced"): Step {
  const on = when === "syncing" && config.sync.hourlyRestart;
  return {
    name: "hourlyRestart",
    limitSeconds: 60,
    script: createScript(["node/hourlyRestart"], {
      service: config.node.service,
      cron_action: on ? "on" : "off",
      node_synced: when === "synced",
    }),
  };
}

/** Deploys the node (step 10). Its time limit includes time to report. */
export function deploy(config: StackConfig, identity: string): Step {
  const deploySeconds = Math.ceil(config.controller.deployTimeout / 1000);
  return {
    name: "deploy",
    limitSeconds: deploySeconds + 600,
    script: createScript(["node/nodeStop", "node/dialog", "host/goToolchain", "node/deploy"], {
      ...createControllerVariables(config),
      ...createNodeVariables(config),
      ...createBuildVariables(config),
      stack_identity: identity,
      deploy_seconds: deploySeconds,
      rpc_seconds: 300,
      sync_again: formatSyncAgain({ ...config.ssh, address: "ADDRESS" }, config.node),
      copy_again: config.sync.copyAgain,
    }),
  };
}

/** Removes what interrupted chain copies left. `begunAt`, of the last copy, makes the step run again after it. */
export function chainCopyAway({ node }: StackConfig, identity: string, begunAt: string): Step {
  const functions = createScript(
    [
      "node/nodeStop",
      "lib/copyAccess",
      "lib/lease",
      ...["arrive", "owner", "travel"].map((part) => `chainCopy/${part}`),
    ],
    {
      ...createNodeVariables({ node }),
      chain_databases: nodeDatabases,
      stack_identity: identity,
      token: `away-${begunAt}`,
    },
  );
  return { name: "chainCopyAway", limitSeconds: 1800, script: `${functions}\nchain_away\n` };
}

/** Prints the producer address, and nothing else (step 12). */
export function producerAddress(config: StackConfig): Step {
  return {
    name: "producerAddress",
    limitSeconds: 300,
    quiet: true,
    accepts: isAddress,
    script: createScript(["node/dialog", "node/configuredAddress", "node/producerAddress"], {
      ...createControllerVariables(config),
      data_dir: config.node.dataDir,
    }),
  };
}

/** Prints `on`, `off`, or what else restarts a synced node. @param isProved true if the gate has proved the sync */
export function hourlyRestartNow({ node }: Pick<StackConfig, "node">, isProved: boolean): Step {
  const values = { service: node.service, cron_action: "look", node_synced: isProved };
  const script = createScript(["node/hourlyRestart"], values);
  return { name: "hourlyRestartNow", limitSeconds: 15, readsOnly: true, quiet: true, script };
}

export function createNodeSteps(config: StackConfig, identity: string, shutDownAt?: string) {
  return {
    preflight: preflight(config, identity),
    prepare: prepare(config, identity, shutDownAt),
    packages: packages(config),
    controller: controller(config),
    hourlyRestartOn: hourlyRestart(config, "syncing"),
    deploy: deploy(config, identity),
    hourlyRestartOff: hourlyRestart(config, "synced"),
    producerAddress: producerAddress(config),
  };
}
