import { coversEverybody } from "../util/networks.ts";
import type { CloudConfig } from "./cloud.ts";

export interface Opening {
  readonly protocol: "tcp" | "udp";
  readonly port: number;
  readonly sources: readonly string[];
}

export const anywhere = ["0.0.0.0/0", "::/0"];

/** Lists the openings of a host's firewall: docs/specification.md, 8. */
export function listOpenings({ host, node, orchestrator, ssh }: CloudConfig, hasOrchestrator: boolean): Opening[] {
  const { p2pPort, rpcPort, rpcFrom } = orchestrator;
  const openings: Opening[] = [
    { protocol: "tcp", port: ssh.port, sources: host.sshFrom },
    { protocol: "tcp", port: node.p2pPort, sources: anywhere },
    { protocol: "udp", port: node.p2pPort, sources: anywhere },
  ];
  if (hasOrchestrator) openings.push({ protocol: "tcp", port: p2pPort, sources: anywhere });
  if (hasOrchestrator && rpcFrom.length > 0) openings.push({ protocol: "tcp", port: rpcPort, sources: rpcFrom });
  return openings;
}

export function warnOfOpenSsh(sshFrom: readonly string[]): string[] {
  if (!coversEverybody(sshFrom)) return [];
  return [`pillar-host:host.sshFrom: ${sshFrom.join(", ")} lets everybody try to log in with ssh (a key is needed)`];
}
