import type { StackConfig } from "../config/config";

export interface Opening {
  readonly protocol: "tcp" | "udp";
  readonly port: number;
  readonly sources: readonly string[];
}

const anywhere = ["0.0.0.0/0", "::/0"];

interface FirewallNeeds {
  readonly sshFrom: readonly string[];
  readonly hasOrchestrator: boolean;
}

/** Lists the openings of a host's firewall: docs/specification.md, 8. */
export function listOpenings(
  config: Pick<StackConfig, "node" | "orchestrator" | "ssh">,
  needs: FirewallNeeds,
): Opening[] {
  const { sshFrom, hasOrchestrator } = needs;
  const { node, orchestrator, ssh } = config;
  return [
    { protocol: "tcp", port: ssh.port, sources: sshFrom },
    { protocol: "tcp", port: node.p2pPort, sources: anywhere },
    { protocol: "udp", port: node.p2pPort, sources: anywhere },
    ...(hasOrchestrator ? orchestratorOpenings(orchestrator) : []),
  ];
}

function orchestratorOpenings({ p2pPort, rpcPort, rpcFrom }: StackConfig["orchestrator"]): Opening[] {
  const asked: Opening[] = rpcFrom.length === 0 ? [] : [{ protocol: "tcp", port: rpcPort, sources: rpcFrom }];
  return [{ protocol: "tcp", port: p2pPort, sources: anywhere }, ...asked];
}

export function warnOfOpenSsh(sshFrom: readonly string[]): string[] {
  return sshFrom
    .filter((network) => network.endsWith("/0"))
    .map((network) => `pillar-host:host.sshFrom: ${network} lets everybody try to log in with ssh (a key is needed)`);
}
