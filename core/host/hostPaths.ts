import type { StackConfig } from "../config/config.ts";

export type OrchestratorPaths = Readonly<ReturnType<typeof createOrchestratorPaths>>;

export function createOrchestratorPaths({ orchestrator }: Pick<StackConfig, "orchestrator">) {
  const { service, directory, executable, rpcPort } = orchestrator;
  return { service, directory, executable, rpcPort };
}

export interface HostPaths {
  /** Unit, data directory and RPC port of the node. */
  readonly service: string;
  readonly dataDir: string;
  readonly rpcPort: number;
  readonly orchestrator: OrchestratorPaths;
}

export function createOrchestratorVariables({ service, directory, executable, rpcPort }: OrchestratorPaths) {
  return {
    orchestrator_service: service,
    orchestrator_directory: directory,
    orchestrator_executable: executable,
    orchestrator_rpc_port: rpcPort,
  };
}

export function createPathVariables({ service, dataDir, rpcPort, orchestrator }: HostPaths) {
  return { service, data_dir: dataDir, rpc_port: rpcPort, ...createOrchestratorVariables(orchestrator) };
}
