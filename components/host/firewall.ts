import * as pulumi from "@pulumi/pulumi";
import { readRecord } from "../../providers/signer/record";
import type { StackConfig } from "../config";
import { project } from "../configFaults";
import { backupPlace } from "../orchestrator/signerPlaces";

/** What may come in from where; nothing else may, and everything may go out. */
export interface Opening {
  readonly protocol: "tcp" | "udp";
  readonly port: number;
  /** Networks as CIDR. */
  readonly sources: readonly string[];
}

const anywhere = ["0.0.0.0/0", "::/0"];

/**
 * The openings of a host's firewall (pure but for the record). Specification, section 8.
 *
 * @param hasSigner whether a signer is known to be there, whatever the configuration says by now: its port must not be
 *   closed because a block was taken out
 */
export function openings(
  config: StackConfig,
  sshFrom: readonly string[],
  hasSigner = signerIsRecorded(config, pulumi.getStack()),
): Opening[] {
  const { node, orchestrator, ssh } = config;
  return [
    { protocol: "tcp", port: ssh.port, sources: sshFrom },
    { protocol: "tcp", port: node.p2pPort, sources: anywhere },
    { protocol: "udp", port: node.p2pPort, sources: anywhere },
    ...(hasOrchestrator(config) || hasSigner
      ? [{ protocol: "tcp", port: orchestrator.p2pPort, sources: anywhere } satisfies Opening]
      : []),
  ];
}

/** Whether an orchestrator is configured: one that is to come, or that is installed from a release (pure). */
export function hasOrchestrator({ orchestrator }: StackConfig): boolean {
  return orchestrator.migrateFrom !== undefined || orchestrator.release !== undefined;
}

/**
 * Whether this machine's record tells of a signer that came, or was about to come, to this stack's host and did not go
 * back: the record outlives the configuration's block, and a port without a listener harms nobody.
 */
export function signerIsRecorded(config: StackConfig, stack: string): boolean {
  const prefix = `${project}/${stack}/${config.pillar.name}/`;
  const ends = readRecord(backupPlace(config)).filter(
    ({ move, event }) => move.startsWith(prefix) && ["secured", "done", "rolledBack"].includes(event),
  );
  const last = ends.at(-1)?.event;
  return last !== undefined && last !== "rolledBack";
}

/** Warns of networks that let everybody try (pure). */
export function openToAll(sshFrom: readonly string[]): string[] {
  return sshFrom
    .filter((network) => network.endsWith("/0"))
    .map((network) => `pillar-host:host.sshFrom: ${network} lets everybody try to log in with ssh (a key is needed)`);
}
