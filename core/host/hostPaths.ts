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
  readonly signer: OrchestratorPaths;
}

export function createSignerVariables({ service, directory, executable, rpcPort }: OrchestratorPaths) {
  return {
    signer_service: service,
    signer_directory: directory,
    signer_executable: executable,
    signer_rpc_port: rpcPort,
  };
}

export function createPathVariables({ service, dataDir, rpcPort, signer }: HostPaths) {
  return { service, data_dir: dataDir, rpc_port: rpcPort, ...createSignerVariables(signer) };
}
