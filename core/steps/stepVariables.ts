import type { StackConfig } from "../config/config";
import { type ReleaseSource, releaseMarker } from "../config/releaseSchema";
import type { Receiver } from "../ssh/rootEnvelope";

/** What a host belongs to, written on it: `<project>/<stack> <Pillar>`. */
export function stackIdentity(stack: string, pillar: string): string {
  return `pillar-host/${stack} ${pillar}`;
}

export function receiver({ stack, ssh: { sudoPassword } }: StackConfig, hostName: string): Receiver {
  return { hostName, stack, sudoPassword };
}

export function controllerPlace(config: StackConfig) {
  return { controller_dir: config.controller.directory, controller_name: config.controller.executable };
}

export function nodeBuild({ controller: { source = "", go } }: StackConfig) {
  return { node_source: source, go_url: go?.url ?? "", go_sha256: go?.sha256 ?? "" };
}

export function nodePlace({ node }: Pick<StackConfig, "node">) {
  return { service: node.service, data_dir: node.dataDir, rpc_address: node.rpcAddress, rpc_port: node.rpcPort };
}

/** An active stack has one: its configuration is refused without. */
export function controllerRelease({ controller: { release } }: StackConfig) {
  if (release === undefined) throw new Error("pillar-host:controller.release is not configured");
  return release;
}

/** What is installed from where, and what the host writes down of it; without a release all are empty. */
export function releaseVariables(release: ReleaseSource | undefined) {
  const { url = "", sha256 = "", version = "" } = release ?? {};
  return { release_url: url, sha256, version, release_marker: release === undefined ? "" : releaseMarker(release) };
}
