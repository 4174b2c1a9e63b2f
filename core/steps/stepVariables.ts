import type { StackConfig } from "../config/config.ts";
import { formatReleaseMarker, type ReleaseSource } from "../config/schemaParts.ts";
import type { Receiver } from "../ssh/root.ts";

/** Returns a host's mark of its stack: `<project>/<stack> <Pillar>`. */
export function formatStackIdentity(stack: string, pillar: string): string {
  return `pillar-host/${stack} ${pillar}`;
}

export function createReceiver({ stack, ssh: { sudoPassword } }: StackConfig, hostName: string): Receiver {
  return { hostName, stack, sudoPassword };
}

export function createControllerVariables(config: StackConfig) {
  return { controller_dir: config.controller.directory, controller_name: config.controller.executable };
}

export function createBuildVariables({ controller: { source = "", go } }: StackConfig) {
  return { node_source: source, go_url: go?.url ?? "", go_sha256: go?.sha256 ?? "" };
}

export function createNodeVariables({ node }: Pick<StackConfig, "node">) {
  return { service: node.service, data_dir: node.dataDir, rpc_address: node.rpcAddress, rpc_port: node.rpcPort };
}

/** Returns the controller's release. @throws if none is configured */
export function getControllerRelease({ controller: { release } }: StackConfig) {
  if (release === undefined) throw new Error("pillar-host:controller.release is not configured");
  return release;
}

/** Returns a release's variables, all empty without a release. */
export function releaseVariables(release: ReleaseSource | undefined) {
  const { url = "", sha256 = "", version = "" } = release ?? {};
  return {
    release_url: url,
    sha256,
    version,
    release_marker: release === undefined ? "" : formatReleaseMarker(release),
  };
}

/** Returns the ports of node and orchestrator. */
export function listOwnPorts({ node: { p2pPort, rpcPort, wsPort }, orchestrator }: StackConfig) {
  return [p2pPort, rpcPort, wsPort, orchestrator.rpcPort, orchestrator.p2pPort];
}

/** Returns ports as net.ipv4.ip_local_reserved_ports shows them: sorted, neighbours as a range. */
export function formatReservedPorts(ports: readonly number[]): string {
  const ranges: { from: number; to: number }[] = [];
  for (const port of [...new Set(ports)].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && port === last.to + 1) last.to = port;
    else ranges.push({ from: port, to: port });
  }
  return ranges.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)).join(",");
}
