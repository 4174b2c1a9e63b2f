import type { StackConfig } from "../config";

/** What may come in from where; nothing else may, and everything may go out. */
export interface Opening {
  readonly protocol: "tcp" | "udp";
  readonly port: number;
  /** Networks as CIDR. */
  readonly sources: readonly string[];
}

const anywhere = ["0.0.0.0/0", "::/0"];

/** The openings of a host's firewall (pure). Specification, section 8. */
export function openings(config: StackConfig, sshFrom: readonly string[]): Opening[] {
  const { node, orchestrator, ssh } = config;
  return [
    { protocol: "tcp", port: ssh.port, sources: sshFrom },
    { protocol: "tcp", port: node.p2pPort, sources: anywhere },
    { protocol: "udp", port: node.p2pPort, sources: anywhere },
    ...(hasOrchestrator(config)
      ? [{ protocol: "tcp", port: orchestrator.p2pPort, sources: anywhere } satisfies Opening]
      : []),
  ];
}

/** Whether an orchestrator is configured: procedure B is not there yet, so none can be. */
function hasOrchestrator(_config: StackConfig): boolean {
  return false;
}

/** Warns of networks that let everybody try (pure). */
export function openToAll(sshFrom: readonly string[]): string[] {
  return sshFrom
    .filter((network) => network.endsWith("/0"))
    .map((network) => `pillar-host:host.sshFrom: ${network} lets everybody try to log in with ssh (a key is needed)`);
}
